"""The project's files and processes: snapshots in a private git directory, process groups that leave nothing behind."""
