"""A text as one line of a log that people read: as it is, or as JSON where it could be misread. Pure."""

import json
import re

from loopwright.domain.json_line import json_line

_PLAIN = re.compile(r'[^\s"\x00-\x1f\x7f-\x9f\u2028\u2029][^\x00-\x1f\x7f-\x9f\u2028\u2029]*(?<!\s)')
"""What stands there as it is."""


def word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json_line(text)


def read_word(text: str) -> str:
    """The text that `word` made a line of."""
    try:
        value = json.loads(text) if text.startswith('"') else text
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text
