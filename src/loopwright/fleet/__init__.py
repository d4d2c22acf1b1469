"""Adapters of the fleet's ports: PostgreSQL for journals and ownership, DBOS for the queue, git for files."""
