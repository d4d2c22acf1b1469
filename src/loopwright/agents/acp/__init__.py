"""Agents that speak the Agent Client Protocol: one process and one session for a whole loop."""
