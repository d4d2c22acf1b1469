"""Errors raised by the ledger."""


class BookError(Exception):
    """Base class of everything this package raises on purpose."""


class UnknownAccount(BookError):
    def __init__(self, name):
        super().__init__(f"unknown account: {name}")
        self.name = name


class Unbalanced(BookError):
    def __init__(self, difference):
        super().__init__(f"postings differ by {difference}")
        self.difference = difference


class ClosedPeriod(BookError):
    def __init__(self, day):
        super().__init__(f"the period of {day.isoformat()} is closed")
        self.day = day
