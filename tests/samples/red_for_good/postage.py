"""What it costs to send a letter, in cents."""

BASE = 85
STEPS = ((20, 0), (50, 15), (500, 75), (1000, 190))


def postage(grams: int, *, registered: bool = False) -> int:
    if grams <= 0:
        raise ValueError("a letter weighs something")
    for limit, extra in STEPS:
        if grams <= limit:
            return BASE + extra + (265 if registered else 0)
    raise ValueError("too heavy for a letter")


def total(weights: list[int]) -> int:
    return sum(postage(grams) for grams in weights)
