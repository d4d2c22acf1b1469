"""Agents of a skill: who they are, how they are started and waited for, and what is done when they fail."""
