"""Errors of depweave."""


class DepweaveError(Exception):
    """Base of all errors of this package."""


class UnknownTask(DepweaveError):
    """A task that is not in the graph."""

    def __init__(self, name):
        super().__init__(f"unknown task: {name}")
        self.name = name


class CycleError(DepweaveError):
    """Tasks that need each other."""

    def __init__(self, cycle):
        super().__init__("cycle: " + " -> ".join(cycle))
        self.cycle = list(cycle)


class ReadError(DepweaveError):
    """A line that cannot be read."""

    def __init__(self, number, message):
        super().__init__(f"line {number}: {message}")
        self.number = number
