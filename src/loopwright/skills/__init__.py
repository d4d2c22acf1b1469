"""The folders of skills on disk: read, found, changed so that every change can be undone."""
