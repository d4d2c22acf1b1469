"""The control plane over HTTP: parse → service → render, and the pages of the dashboard."""
