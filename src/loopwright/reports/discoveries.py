"""The discovery board: facts about the project that agents find, each once, for all roles and iterations. Pure.

A line is `{ts, agent, type, data}`. The same finding again is dropped; one with more data, or other data, is another
line, and what the board says is then all of them together, the later over the earlier. So the file only grows.
What was replaced does not come back by being said again.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from loopwright.core.errors import Invalid
from loopwright.core.record import parse_timestamp
from loopwright.core.text import clip_text, json_line

BOARD, BAD = "coordination/discoveries.ndjson", "coordination/discoveries.bad.ndjson"

LONGEST = 20_000
"""Characters of one line."""

MOST = 2_000
"""Findings on one board; further ones are not taken."""

Json = dict[str, Any]  # Any: parsed JSON of an agent


class DiscoveryType(NamedTuple):
    """`key`: what of its data makes a finding unique; None: there is one. `required`: keys that its data needs."""

    key: str | None
    required: tuple[str, ...]


TYPES: Mapping[str, DiscoveryType] = {
    "tech_stack": DiscoveryType(None, ("language", "framework", "test", "build")),
    "project_config": DiscoveryType("path", ("path", "key_deps", "scripts")),
    "existing_feature": DiscoveryType("name", ("name", "files", "summary")),
    "architecture": DiscoveryType(None, ("pattern", "layers", "entry")),
    "code_pattern": DiscoveryType("name", ("name", "description", "example_file")),
    "integration_point": DiscoveryType("file", ("file", "description", "exports")),
    "similar_impl": DiscoveryType("feature", ("feature", "files", "relevance")),
    "code_convention": DiscoveryType(None, ("naming", "imports", "formatting")),
    "utility": DiscoveryType("name", ("name", "file", "usage")),
    "test_command": DiscoveryType(None, ("unit",)),
    "test_baseline": DiscoveryType(None, ("total", "passing", "coverage_pct", "framework", "config")),
    "test_pattern": DiscoveryType(None, ("style", "naming", "fixtures")),
    "blocker": DiscoveryType("issue", ("issue", "severity", "impact")),
}


def list_types() -> str:
    """The types with the keys that their data need, in words."""
    return "; ".join(f"{name} ({', '.join(each.required)})" for name, each in TYPES.items())


class Discovery(NamedTuple):
    ts: str
    agent: str
    type: str
    data: Json

    @property
    def key(self) -> tuple[str, str]:
        """What makes it unique."""
        name = TYPES[self.type].key
        return self.type, " ".join(str(self.data[name]).split()) if name else ""

    @property
    def line(self) -> str:
        return json_line(self._asdict())


class RejectedLine(NamedTuple):
    """A line that is no finding, and why."""

    ts: str
    agent: str
    error: str
    given: str

    @property
    def line(self) -> str:
        return json_line(self._asdict())


def read_entry(raw: object, *, ts: str = "", agent: str = "") -> Discovery:
    """The finding in a parsed object or a line of JSON; `ts` and `agent` stand in for what it does not say. Invalid."""
    entry = _object(raw)
    type = str(entry.get("type") or "").strip().lower().replace("-", "_").replace(" ", "_")
    if type not in TYPES:
        raise Invalid(
            f"the types of a discovery are {', '.join(TYPES)} (got {clip_text(str(entry.get('type')), 40)!r})"
        )
    data = entry.get("data")
    if data is None:
        data = {key: value for key, value in entry.items() if key not in ("ts", "agent", "type")}
    if not isinstance(data, dict):
        raise Invalid(f"the data of a {type} is a JSON object with {', '.join(TYPES[type].required)}")
    if missing := [key for key in TYPES[type].required if key not in data]:
        raise Invalid(f"a {type} needs {', '.join(TYPES[type].required)} in its data; {', '.join(missing)} is missing")
    _name_it(type, data)
    said = entry.get("agent")
    return Discovery(
        parse_timestamp(entry.get("ts")) or ts, said if isinstance(said, str) and said else agent, type, data
    )


def read_board(text: str, *, ts: str = "", agent: str = "") -> tuple[tuple[Discovery, ...], tuple[RejectedLine, ...]]:
    """The findings in a file's lines, and the lines that are none. Empty lines are nothing."""
    findings: list[Discovery] = []
    bad: list[RejectedLine] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            findings.append(read_entry(line, ts=ts, agent=agent))
        except Invalid as error:
            bad.append(RejectedLine(ts, agent, str(error), clip_text(line.strip(), LONGEST)))
    return tuple(findings), tuple(bad)


def read_rejected_lines(text: str) -> tuple[RejectedLine, ...]:
    """What was set aside so far."""
    lines = (line for line in text.split("\n") if line.strip())
    found = []
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            raw = json.loads(line)
            found.append(RejectedLine(*(str(raw[name]) for name in RejectedLine._fields)))
    return tuple(found)


def merge_discoveries(known: Iterable[Discovery], new: Iterable[Discovery]) -> tuple[Discovery, ...]:
    """Those of the `new` ones that say something that was not said before, in their order: what is to be appended.

    What was said once is not news again, so a file of findings may be read as often as one likes.
    """
    said: dict[tuple[str, str], list[Json]] = {}
    for one in known:
        _say(said, one)
    added: list[Discovery] = []
    for one in new:
        before = said.get(one.key, [])
        if any(_holds(data, one.data) for data in before) or (not before and len(said) >= MOST):
            continue
        _say(said, one)
        added.append(one)
    return tuple(added)


def _say(said: dict[tuple[str, str], list[Json]], one: Discovery) -> None:
    """Keeps first what all lines say together, then each line's own data."""
    lines = said.setdefault(one.key, [{}])
    lines[0] = {**lines[0], **one.data}
    lines.append(one.data)


def _holds(data: Json, part: Json) -> bool:
    return all(key in data and data[key] == value for key, value in part.items())


def summarise_board(lines: Iterable[Discovery]) -> tuple[Discovery, ...]:
    """What the board says: each finding once, its data of all lines about it, told by who said it last."""
    board: dict[tuple[str, str], Discovery] = {}
    for one in lines:
        before = board.get(one.key)
        board[one.key] = one._replace(data={**before.data, **one.data}) if before else one
    return tuple(board.values())


def _object(raw: object) -> Json:
    if isinstance(raw, str):
        if len(raw) > LONGEST:
            raise Invalid(f"a discovery has at most {LONGEST:,} characters (got {len(raw):,})")
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise Invalid('a line of the board is one JSON object: {"type": …, "data": {…}}') from error
    if not isinstance(raw, dict):
        raise Invalid('a discovery is a JSON object: {"type": …, "data": {…}}')
    try:
        text = json.dumps(raw, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid(f"a discovery that JSON in UTF-8 cannot hold: {error}") from error
    if len(text) > LONGEST:
        raise Invalid(f"a discovery has at most {LONGEST:,} characters (got {len(text):,})")
    return raw


def _name_it(type: str, data: Json) -> None:
    name = TYPES[type].key
    if name and not (isinstance(data[name], str) and data[name].strip()):
        raise Invalid(f"the {name} of a {type} is a text that names it (got {clip_text(repr(data[name]), 40)})")
