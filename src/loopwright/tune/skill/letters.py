"""What many rules ask of the letters of a whole page, worked out once."""

from functools import lru_cache

CJK, BEYOND = "\u3000", "\ue000"
"""Letters of Chinese, Japanese and Korean lie between them."""
_NOT_A_LEAD_BYTE_OF_CJK = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xED)


@lru_cache(maxsize=64)
def small(text: str) -> str:
    """In small letters, character by character: positions hold. Where they would not, all are left as they are."""
    low = text.lower()
    return low if len(low) == len(text) else text


@lru_cache(maxsize=64)
def vocabulary(text: str) -> str:
    """Each word of the page once, in small letters, with the marks about it: a quarter of the page, and less."""
    return "\n".join({*small(text).split()})


@lru_cache(maxsize=4096)
def has(text: str, stem: str) -> bool:
    """Whether the stem (in small letters) stands in it, in large or small letters. Several rules ask for the same."""
    return stem in (vocabulary(text) if stem.split() == [stem] else small(text))


@lru_cache(maxsize=64)
def wide(text: str) -> int:
    """Characters of Chinese, Japanese and Korean (U+3000 to U+DFFF)."""
    if text.isascii():
        return 0
    return len(text.encode("utf-8", "surrogateescape").translate(None, _NOT_A_LEAD_BYTE_OF_CJK))
