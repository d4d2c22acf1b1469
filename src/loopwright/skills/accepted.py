"""Findings that are accepted as they are: by a comment with its reason beside the place, or in a baseline. Pure."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import Field, ValidationError

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.core.record import Items, Record, Timestamp, first_problem
from loopwright.skills.detectors import DETECTORS
from loopwright.skills.findings import Finding
from loopwright.skills.reader.markdown import MarkdownBlock, Section
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page
from loopwright.skills.review.cards import list_cards

MARK = "loopwright:"
ALL = "all"
FIRST_LINES = 10
"""Lines after the front matter in which a comment about the whole file is looked for."""
LONGEST = 2000
"""Characters of a comment."""

_OPENERS = {"<!--": "-->", "/*": "*/", "//": "\n", "#": "\n"}
_WORDS = re.compile(r"\s*(ignore(?:-section|-file)?)\s+([a-z]+(?:-[a-z]+)*(?:\s*,\s*[a-z]+(?:-[a-z]+)*)*)(?![\w-])")
_REASON = re.compile(r"\s*(?:--?|[–—:：])\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SuppressComment:
    """A comment that accepts findings of `rules` which begin from `start` to `end`. `reason` is empty where none is."""

    rules: frozenset[str]
    reason: str
    line: int
    start: int
    end: int

    def reaches(self, finding: Finding) -> bool:
        """Whether the finding lies where it holds, whatever the rule."""
        return self.start <= finding.start < self.end

    def covers(self, finding: Finding) -> bool:
        return self.reaches(finding) and bool(self.rules & {finding.rule, ALL})


def split_suppressed(skill: Skill, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """What stays and what is silenced, each in the order given. One whose comment does not count stays, and says so."""
    by_file = {path: tuple(find_comments(page)) for path, page in skill.pages.items() if MARK in page.text}
    kept: list[Finding] = []
    silenced: list[Finding] = []
    for finding in findings:
        around = [ignore for ignore in by_file.get(finding.file, ()) if ignore.reaches(finding)]
        if any(ignore.reason for ignore in around if ignore.covers(finding)):
            silenced.append(finding)
        else:
            kept.append(_told(finding, around))
    return tuple(kept), tuple(silenced)


def find_reason(skill: Skill, finding: Finding) -> str | None:
    """Why the author accepts the finding, as the comment beside it says; None where none does."""
    page = skill.pages.get(finding.file)
    around = find_comments(page) if page and MARK in page.text else ()
    return next((ignore.reason for ignore in around if ignore.reason and ignore.covers(finding)), None)


def _told(finding: Finding, around: Iterable[SuppressComment]) -> Finding:
    """With a note on the first comment around it that would accept it, or that names what is no rule."""
    for ignore in around:
        unknown = sorted(ignore.rules - list_rules() - {ALL})
        if ignore.covers(finding):
            why = "is ignored because it gives no reason"
        elif unknown:
            why = f"names an unknown rule ({', '.join(unknown)})"
        else:
            continue
        note = f"The comment in line {ignore.line} {why}; write: {MARK} ignore {finding.rule} - why it is right here."
        return finding.evolve(advice=f"{finding.advice} {note}".strip())
    return finding


@cache
def list_rules() -> frozenset[str]:
    """All that a comment may name: the exact rules, and the questions of a review."""
    return frozenset({*(detector.rule for detector in DETECTORS), *(card.id for card in list_cards())})


def find_comments(page: Page) -> Iterator[SuppressComment]:
    """All such comments of a page, in order."""
    text = page.text
    at, line, counted = text.find(MARK), 1, 0
    while at >= 0:
        line, counted = line + text.count("\n", counted, at), at
        before = text[text.rfind("\n", 0, at) + 1 : at].rstrip()
        opener = next((opener for opener in _OPENERS if before.endswith(opener)), None)
        if opener == "<!--" or (opener and _is_code(page, _at(page, at))):
            begin = text.rfind(opener, 0, at)
            close = text.find(_OPENERS[opener], at, at + LONGEST)
            close = close if close >= 0 else _line_end(text, at)
            words = _WORDS.match(text, at + len(MARK), close)
            reach = _reach(page, words[1], begin, close + len(_OPENERS[opener].strip())) if words else None
            if words and reach:
                rules = frozenset(rule.strip() for rule in words[2].split(","))
                yield SuppressComment(rules, _reason(text[words.end() : close]), line, *reach)
        at = text.find(MARK, at + 1)


def _reason(rest: str) -> str:
    """What stands behind the dash; nothing where that says nothing."""
    found = _REASON.match(rest)
    words = " ".join(found[1].split()) if found else ""
    return words if any(char.isalnum() for char in words) else ""


def _at(page: Page, at: int) -> MarkdownBlock | None:
    index = bisect_right(page.blocks, at, key=_start) - 1
    return page.blocks[index] if index >= 0 and at <= page.blocks[index].end else None


def _is_code(page: Page, block: MarkdownBlock | None) -> bool:
    """Where `#` and `//` begin a comment: in fences, in front matter, and in files that are no Markdown."""
    return page.kind in ("script", "data") or (block is not None and block.kind in ("code", "front"))


def _reach(page: Page, verb: str, begin: int, end: int) -> tuple[int, int] | None:
    """From where to where a comment holds, which itself lies from `begin` to `end`."""
    text = page.text
    block = _at(page, begin)
    fenced = block is not None and block.kind == "code" and page.kind not in ("script", "data")
    if verb == "ignore-file":
        top = min(page.front.end if page.front else 0, begin)
        first = begin - top < LONGEST * FIRST_LINES and text.count("\n", top, begin) < FIRST_LINES
        return (0, len(text) + 1) if first and not fenced else None
    if verb == "ignore-section":
        return None if fenced else _section(page, begin)
    bol, eol = text.rfind("\n", 0, begin) + 1, _line_end(text, end)
    if text[bol:begin].strip(" \t>") or text[end:eol].strip():
        return bol, eol + 1
    if block is not None and block.kind in ("code", "front"):
        return bol, _line_end(text, eol + 1) + 1
    return bol, _next_end(page, eol) + 1


def _section(page: Page, at: int) -> tuple[int, int]:
    """The innermost section around a place; before the first heading all up to it."""
    index = bisect_right(page.sections, at, key=_start) - 1
    if index >= 0:
        return page.sections[index].start, page.sections[index].end
    return 0, page.sections[0].start if page.sections else len(page.text) + 1


def _start(part: MarkdownBlock | Section) -> int:
    return part.start


def _next_end(page: Page, at: int) -> int:
    """Where the block ends that follows; of a table the last row."""
    index = bisect_left(page.blocks, at, key=_start)
    if index == len(page.blocks):
        return len(page.text)
    while page.blocks[index].kind == "row" and index + 1 < len(page.blocks) and page.blocks[index + 1].kind == "row":
        index += 1
    return page.blocks[index].end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


SCHEMA = 1


class AcceptedFinding(Record):
    """One finding that is accepted; `message` is for people only."""

    skill: str
    rule: str
    file: str
    fingerprint: str = Field(pattern=r"^[0-9a-f]{16}$")
    message: str = ""


class Baseline(Record):
    """`version` of the product that has written it."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    version: str
    created: Timestamp
    entries: Items[AcceptedFinding] = ()

    def accepted(self, skill: str) -> frozenset[str]:
        """Fingerprints that are known of a skill."""
        return frozenset(entry.fingerprint for entry in self.entries if entry.skill == skill)

    def gone(self, skill: str, found: Iterable[Finding]) -> tuple[AcceptedFinding, ...]:
        """Entries about a skill that has no such finding any more; `found` are all of it, accepted ones too."""
        there = {finding.fingerprint for finding in found}
        return tuple(entry for entry in self.entries if entry.skill == skill and entry.fingerprint not in there)

    def without(self, entries: Iterable[AcceptedFinding]) -> "Baseline":
        away = frozenset((entry.skill, entry.fingerprint) for entry in entries)
        kept = tuple(entry for entry in self.entries if (entry.skill, entry.fingerprint) not in away)
        return self.evolve(entries=kept)


def baseline_of(found: Mapping[str, Iterable[Finding]], *, version: str, created: str) -> Baseline:
    """Everything that was found, by skill; hints too."""
    entries = {
        (skill, finding.fingerprint): AcceptedFinding(
            skill=skill, rule=finding.rule, file=finding.file, fingerprint=finding.fingerprint, message=finding.message
        )
        for skill, findings in found.items()
        for finding in findings
    }
    ordered = sorted(entries.values(), key=lambda e: (e.skill, e.file, e.rule, e.fingerprint))
    return Baseline(version=version, created=created, entries=tuple(ordered))


def encode_baseline(baseline: Baseline) -> bytes:
    """As it stands in a file."""
    head = baseline.model_dump(mode="json", by_alias=True, exclude={"entries"})
    lines = [_json(entry.model_dump(mode="json")) for entry in baseline.entries]
    entries = "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]" if lines else "[]"
    return f'{_json(head)[:-1]}, "entries": {entries}}}\n'.encode()


def parse_baseline(origin: str, data: bytes) -> Baseline:
    """Invalid says what is wrong with it and how it is made anew; `origin` is the file's name for people."""
    anew = "rewrite it with --update-baseline"
    try:
        given: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{origin}: is not JSON, and not a baseline: {error}; {anew}") from error
    schema = given.get("schema") if isinstance(given, dict) else None
    if type(schema) is int and schema > SCHEMA:
        raise NewerSchema(f"{origin}: has schema {schema}, and this version reads {SCHEMA}; update loopwright")
    try:
        return Baseline.model_validate(given)
    except ValidationError as error:
        raise Invalid(f"{origin}: is not a baseline: {first_problem(error)}; {anew}") from error


def _json(value: object) -> str:
    """On one line; what is no text (half of a character, a byte that is not UTF-8) is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if not "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}" for char in text)
