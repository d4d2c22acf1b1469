"""Finding a project's tests, running them, and reading what they measured."""
