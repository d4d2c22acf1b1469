"""Python's test frameworks: our probe inside of them, and what the project's files say."""
