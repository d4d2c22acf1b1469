"""Repairs: one file per kind, each from findings to proposals of exact edits."""
