"""Faults from life, repaired without a model (see the README)."""
