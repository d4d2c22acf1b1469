from .address import AddressError, Block, format_address, parse_address, parse_block, summarize
from .leases import Lease, LeaseTable
from .pool import Pool, PoolError
from .report import report

__all__ = [
    "AddressError",
    "Block",
    "Lease",
    "LeaseTable",
    "Pool",
    "PoolError",
    "format_address",
    "parse_address",
    "parse_block",
    "report",
    "summarize",
]
