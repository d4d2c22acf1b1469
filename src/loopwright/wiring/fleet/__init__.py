"""The fleet, joined to the engine: runs go there, are driven there, reached there and followed from here."""
