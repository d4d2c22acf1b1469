"""Node's test frameworks: our observers inside of them, and what the project's files say."""
