"""What was found before and is accepted as it is: a file beside the project's sources. Pure.

One entry a line, sorted, so that changes of it can be read and merged:

    {"schema": 1, "version": "0.1.0", "created": "2026-01-22T10:00:00+08:00", "entries": [
      {"skill": "skills/review", "rule": "dead-reference", "file": "SKILL.md", "fingerprint": "…", "message": "…"}
    ]}

`skill` is its folder, as a path from where the file lies.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, ValidationError

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.core.record import Items, Record, Timestamp, first_problem
from loopwright.skills.findings import Finding

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
