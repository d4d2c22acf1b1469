"""The answers an agent offers with a question, read however it lists them. Pure."""

import json
import re

BULLET = re.compile(r"^(?:[-*•]|\(?\w{1,2}[.)])\s+")
QUOTES = "`\"'“”"


def read_choices(text: str) -> tuple[str, ...]:
    """`a | b` as the protocol's own schema writes alternatives; a JSON list, a list of lines, or commas do as well.

    The first of these that makes a list of the text does, so that a comma within one of them stays.
    """
    given = text.strip()
    listed = _json_list(given)
    parts = listed if listed is not None else _split(_unbracketed(given))
    cleaned = (BULLET.sub("", part.strip()).strip().strip(QUOTES).strip() for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if part))


def _json_list(text: str) -> list[str] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return [str(item) for item in value if isinstance(item, (str, int, float))] if isinstance(value, list) else None


def _unbracketed(text: str) -> str:
    return text[1:-1] if text[:1] + text[-1:] in ("[]", "{}", "()") else text


def _split(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(BULLET.match(line.strip()) for line in lines):
        return lines
    text = " ".join(lines)
    for separator in ("|", ";", ","):
        if separator in text:
            parts = text.split(separator)
            return [*parts[:-1], re.sub(r"^\s*or\s+", "", parts[-1], flags=re.IGNORECASE)]
    return [text]
