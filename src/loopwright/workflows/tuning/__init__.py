"""TUNE: diagnoses an agent skill, mends it with real diffs, and verifies by diagnosing again."""
