"""Proofs of real commits, compared with what their tests say by hand."""
