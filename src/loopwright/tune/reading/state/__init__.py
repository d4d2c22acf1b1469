"""What a run keeps of how far it is, and how it goes on."""
