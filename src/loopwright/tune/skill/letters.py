"""What many rules ask of the letters of a whole page, worked out once."""

from functools import lru_cache

CJK, BEYOND = "\u3000", "\ue000"
"""Letters of Chinese, Japanese and Korean lie between them."""
_LETTERS_ALONE = bytes(byte if byte > 127 or 97 <= byte <= 122 else 32 for byte in range(256))
"""Turns all but small letters, and what is no ASCII, into blanks."""
_NOT_A_LEAD_BYTE_OF_CJK = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xED)


@lru_cache(maxsize=64)
def small(text: str) -> str:
    """In small letters, character by character: positions hold. Where they would not, all are left as they are."""
    low = text.lower()
    return low if len(low) == len(text) else text


@lru_cache(maxsize=64)
def vocabulary(text: str) -> str:
    """Each run of letters of the page once, in small letters: a third of the page, and less."""
    letters = small(text).encode("utf-8", "surrogatepass").translate(_LETTERS_ALONE)
    return b"\n".join({*letters.split()}).decode("utf-8", "surrogatepass")


def has(text: str, stem: str) -> bool:
    """Whether the stem (in small letters) stands in it, in large or small letters."""
    return stem in (vocabulary(text) if stem.isalpha() else small(text))


def among(text: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the stems (in small letters) that stand in it, in large or small letters."""
    if not wide(text):
        stems = _latin(stems)
    letters, low = vocabulary(text), small(text)
    return tuple([stem for stem in stems if stem in (letters if stem.isalpha() else low)])


@lru_cache(maxsize=512)
def _latin(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Those that a page without Chinese may have."""
    return tuple(stem for stem in stems if not CJK < stem[0] < BEYOND)


@lru_cache(maxsize=64)
def wide(text: str) -> int:
    """Characters of Chinese, Japanese and Korean (U+3000 to U+DFFF)."""
    if text.isascii():
        return 0
    return len(text.encode("utf-8", "surrogateescape").translate(None, _NOT_A_LEAD_BYTE_OF_CJK))
