"""A table of a pool for people."""

from .address import format_address


def report(pool, by="address"):
    """Used and free blocks; by address, or used ones by name and free last."""
    rows = [(block, name) for name in pool.names() for block in [pool.block_of(name)]]
    free = [(block, "") for block in pool.free_blocks()]
    if by == "address":
        rows = sorted(rows + free)
    elif by == "name":
        rows = sorted(rows, key=lambda row: (row[1].casefold(), row[1])) + free
    else:
        raise ValueError(f"unknown order {by!r}")
    width = max(len(str(block)) for block, _ in rows)
    lines = []
    for block, name in rows:
        hosts = len(block.hosts())
        end = format_address(block.last)
        label = name or "(free)"
        lines.append(f"{str(block):<{width}}  {end:<15}  {hosts:>8}  {label}")
    lines.append(f"{pool.used_share:.1%} used")
    return "\n".join(lines)
