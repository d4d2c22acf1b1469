"""Durable workflow states in plain files: the journal line is the commit, the JSON file a projection."""
