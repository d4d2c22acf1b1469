"""How many tokens a text costs a model, estimated without one."""

PROSE, CODE = 4.0, 3.3
"""Characters a token, of Latin prose and of code. Of Chinese, Japanese and Korean each character is about one token."""
_NOT_A_LEAD_BYTE_OF_CJK = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xED)


def tokens(text: str, *, code: bool = False) -> int:
    """A local estimate of the tokens of one text."""
    wide = _wide(text)
    return round(wide + (len(text) - wide) / (CODE if code else PROSE))


def _wide(text: str) -> int:
    """Characters of Chinese, Japanese and Korean (U+3000 to U+DFFF)."""
    if text.isascii():
        return 0
    return len(text.encode("utf-8", "surrogateescape").translate(None, _NOT_A_LEAD_BYTE_OF_CJK))
