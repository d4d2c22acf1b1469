"""A document as one line of JSON that can be printed: nothing in it steers a terminal. Pure."""

import json
import re
from collections.abc import Callable
from typing import Any

_STEERING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""What JSON leaves as it is, though terminals obey it or UTF-8 has no place for it; the rest JSON escapes by itself."""


def json_line(document: object, default: Callable[[Any], object] | None = None) -> str:  # Any: what JSON does not know
    """`default` as json.dumps takes it."""
    return _STEERING.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(document, ensure_ascii=False, default=default))
