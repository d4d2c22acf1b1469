"""What TUNE makes of one change of a skill: found, false, mended."""

import asyncio
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.tune.corpus import Fault, Files, LookAlike, Place, Subject, changed
from loopwright.domain.findings import SEVERITIES, Finding
from loopwright.engine.bus import Bus
from loopwright.tune.diagnosis import diagnose
from loopwright.tune.skill.read import read_skill
from loopwright.wiring import open_engine

NEAR = 12
"""Lines between a finding and the place that is named."""
WEIGHTY = SEVERITIES[: SEVERITIES.index("medium") + 1]


@dataclass(frozen=True)
class Judged:
    """One fault. `beside`: other new findings of medium or more, true ones of side effects among them."""

    subject: str
    fault: Fault
    found: tuple[Finding, ...]
    beside: tuple[Finding, ...]


@dataclass(frozen=True)
class Mended:
    """What the real course has made of a sick skill. `levels` of the fixes that held.

    `restored`: the findings that count are those of the healthy skill. `same`: so are all files.
    """

    gone: bool
    restored: bool
    same: bool
    levels: frozenset[str]
    rolled_back: int


def counting(name: str, files: Files) -> tuple[Finding, ...]:
    return tuple(finding for finding in diagnose(read_skill(name, files)).findings if finding.counts)


def weighty(findings: Collection[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.severity in WEIGHTY)


def new(findings: Sequence[Finding], healthy: Sequence[Finding]) -> tuple[Finding, ...]:
    known = {finding.fingerprint for finding in healthy}
    return tuple(finding for finding in findings if finding.fingerprint not in known)


def judged(subject: Subject, fault: Fault, healthy: Sequence[Finding]) -> Judged:
    sick = changed(subject.files, fault.edits)
    appeared = new(counting(subject.name, sick), healthy)
    found = tuple(f for f in appeared if f.dimension == fault.dimension and any(_at(f, p, sick) for p in fault.where))
    return Judged(subject.name, fault, found, tuple(f for f in weighty(appeared) if f not in found))


def alarms(subject: Subject, look_alike: LookAlike, healthy: Sequence[Finding]) -> tuple[Finding, ...]:
    """New findings of medium or more on what is harmless."""
    return weighty(new(counting(subject.name, changed(subject.files, look_alike.edits)), healthy))


def _at(finding: Finding, place: Place, files: Files) -> bool:
    if finding.file != place.file:
        return False
    if place.text is None:
        return True
    lines = files[place.file].decode(errors="replace").split("\n")
    named = (number for number, line in enumerate(lines, 1) if place.text in line)
    return any(finding.line - NEAR <= number <= finding.line_end + NEAR for number in named)


def mended(subject: Subject, fault: Fault, healthy: Sequence[Finding]) -> Mended:
    """By the engine, in a project of its own, with everything that needs no model."""
    sick = changed(subject.files, fault.edits)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        root = project / "skills" / subject.name
        for name, data in sick.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        with open_engine(project, {}) as engine:
            id = engine.create_tuning(root, level="template").tuning_id
            state = asyncio.run(engine.tuning_runner.drive(id, take_up=lambda state: state, bus=Bus()))
        now = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    was, left = counting(subject.name, sick), counting(subject.name, now)
    targets = {f.fingerprint for f in new(was, healthy) if f.dimension == fault.dimension}
    held = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "pass"]
    return Mended(
        gone=bool(held) and bool(targets) and not targets & {finding.fingerprint for finding in left},
        restored={f.fingerprint for f in left} <= {f.fingerprint for f in healthy}, same=now == dict(subject.files),
        levels=frozenset(state.engine.proposals[id].level for id in held),
        rolled_back=sum(fix.verification_result == "fail" for fix in state.applied_fixes),
    )  # fmt: skip
