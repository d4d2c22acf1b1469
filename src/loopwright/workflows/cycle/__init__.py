"""CYCLE: four roles, iterations, versions."""
