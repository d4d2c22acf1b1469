"""Front matter: safe YAML, within limits."""

import re
from collections.abc import Mapping

import yaml

from loopwright.tune.skill.blocks import Front

LARGEST = 64_000
"""Characters of front matter that are read as YAML."""
DEEPEST = 12
MOST_ALIASES = 16
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENS = re.compile(r"[\ufeff\s]*---[ \t]*\r?\n")
_CLOSES = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r]*$)", re.MULTILINE)
_KEY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[^\W\d][\w.-]*[ \t]*(?::(?=\s|\Z)|：)")
_BLANK = re.compile(r"^[ \t\r]*$", re.MULTILINE)
_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def front_of(text: str) -> Front | None:
    """What stands at the top between two lines `---`. One that is not closed ends at a blank line, and is broken."""
    opening = _OPENS.match(text)
    if opening is None:
        return None
    start, body = text.index("---"), opening.end()
    closing = _CLOSES.search(text, body)
    if not (_KEY.match(text, body) or (closing and not text[body : closing.start()].strip())):
        return None
    if closing is None:
        blank = _BLANK.search(text, body)
        return Front(start, blank.start() if blank else len(text), {}, "it is not closed by a line `---`")
    values, broken = _read(text[body : closing.start()], text.count("\n", 0, body) + 1)
    return Front(start, closing.end(), values, broken)


def _read(inner: str, first: int) -> tuple[Mapping[str, object], str | None]:
    """Its values, and why there are none. `first`: the number of its first line."""
    try:
        if len(inner) > LARGEST:
            raise ValueError(f"it has {len(inner):,} characters; {LARGEST:,} are read")
        _refuse_bombs(inner)
        value = yaml.load(inner, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = f"line {first + error.problem_mark.line}: " if error.problem_mark else ""
        return {}, f"{line}{error.problem}"
    except UnicodeError:
        return {}, "it holds bytes that are no UTF-8"
    except (yaml.YAMLError, ValueError) as error:
        return {}, str(error).partition("\n")[0]
    if value is None:
        return {}, None
    if not isinstance(value, dict):
        return {}, "it holds no `key: value` lines"
    return {str(key): one for key, one in value.items()}, None


def _refuse_bombs(text: str) -> None:
    """Walks the events, which needs no depth of its own, before anything is built of them."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if aliases > MOST_ALIASES:
            raise ValueError(f"it has more than {MOST_ALIASES} aliases")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise ValueError(f"it names a type, `{tag}`, which is not read")
