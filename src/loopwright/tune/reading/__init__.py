"""What several detectors need to know of a skill: pure functions over its graph."""
