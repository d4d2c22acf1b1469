"""What agents report, from text or tools, as typed results. Pure."""
