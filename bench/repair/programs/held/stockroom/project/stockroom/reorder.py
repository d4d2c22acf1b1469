"""What to order."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Proposal:
    sku: str
    packs: int
    quantity: int
    reason: str


def proposals(store, day, cover_days=14, look_back=28, tag=None):
    """Propose full packs for items that are short, by item name.

    The target is the minimum or, if that is more, the sales that are to be expected
    in ``cover_days`` at the pace of the last ``look_back`` days (today included).
    """
    if look_back < 1:
        raise ValueError("look_back must be at least one day")
    start = day - timedelta(days=look_back - 1)
    result = []
    for item in store.items(tag):
        expected = -(-store.sold(item.sku, start, day) * cover_days // look_back)
        target = max(item.minimum, expected)
        short = target - store.available(item.sku, day)
        if short <= 0:
            continue
        packs = -(-short // item.pack)
        reason = "minimum" if item.minimum >= expected else "sales"
        result.append(Proposal(item.sku, packs, packs * item.pack, reason))
    return result
