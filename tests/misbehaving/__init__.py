"""An ACP agent of ours that does as it is told, however bad that is."""
