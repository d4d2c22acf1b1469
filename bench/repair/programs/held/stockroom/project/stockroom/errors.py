"""Errors of the stockroom."""


class StockError(Exception):
    """Base class."""


class UnknownItem(StockError):
    def __init__(self, sku):
        super().__init__(f"unknown item {sku}")
        self.sku = sku


class NotEnough(StockError):
    def __init__(self, sku, wanted, available):
        super().__init__(f"{sku}: {wanted} wanted, {available} available")
        self.sku = sku
        self.wanted = wanted
        self.available = available
