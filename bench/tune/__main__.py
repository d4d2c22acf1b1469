"""Recall, precision, look-alikes and repairs on the seeded faults.

    python -m bench.tune [--group NAME]… [--packages DIR] [--no-fixes] [--list] [--json]

All groups are open by now: see the README for what each said when it was opened, and for the packages.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.tune.corpus import GROUPS, Group, Subject, subjects
from bench.tune.measure import Judged, Mended, alarms, counting, judged, mended, weighty
from loopwright.domain.findings import Finding


class Result(NamedTuple):
    """`false`: of the healthy skills, and of the look-alikes by their number."""

    judged: list[Judged]
    mended: list[Mended]
    healthy: dict[str, tuple[Finding, ...]]
    look_alikes: dict[str, tuple[Finding, ...]]
    dimensions: dict[str, str]
    simple: int


def measured(group: Group, packages: Path | None = None, *, fixes: bool) -> Result:
    result = Result([], [], {}, {}, {}, 0)
    simple = 0
    for subject in subjects(group, packages):
        healthy = counting(subject.name, subject.files)
        result.healthy[subject.name] = weighty(healthy)
        simple += subject.about.shape == "simple"
        for fault in subject.faults:
            result.judged.append(judged(subject, fault, healthy))
            if fixes:
                result.mended.append(mended(subject, fault, healthy))
        _look_alikes(result, subject, healthy)
    return result._replace(simple=simple)


def _look_alikes(result: Result, subject: Subject, healthy: tuple[Finding, ...]) -> None:
    for one in subject.look_alikes:
        key = f"{subject.name} {one.id}"
        result.look_alikes[key] = alarms(subject, one, healthy)
        result.dimensions[key] = one.dimension


def figures(result: Result) -> dict[str, object]:
    """Shares from 0 to 1."""
    found = sum(bool(one.found) for one in result.judged)
    false = sum(map(len, result.healthy.values())) + sum(map(len, result.look_alikes.values()))
    beside = sum(len(one.beside) for one in result.judged)
    known: dict[str, object] = {
        "faults": len(result.judged),
        "recall": share(found, len(result.judged)),
        "recall_by_dimension": by(result, lambda one: one.fault.dimension),
        "recall_by_kind": by(result, lambda one: f"{one.fault.dimension}/{one.fault.kind}"),
        "precision": share(found, found + false),
        "precision_if_all_beside_is_false": share(found, found + false + beside),
        "look_alikes": len(result.look_alikes),
        "false_on_look_alikes": share(sum(map(bool, result.look_alikes.values())), len(result.look_alikes)),
        "findings_on_healthy_skills": {name: len(found) for name, found in result.healthy.items() if found},
    }
    return known | (_fixes(result) if result.mended else {})


def _fixes(result: Result) -> dict[str, object]:
    gone = [one for one in result.mended if one.gone]
    mechanical = [one for one in gone if one.levels <= {"mechanical"}]
    return {
        "fixed_and_verified": share(len(gone), len(result.mended)),
        "fixed_by_mechanical_fixes_alone": share(len(mechanical), len(result.mended)),
        "of_these_restored": share(sum(one.restored for one in gone), len(gone)),
        "of_these_with_the_very_same_files": share(sum(one.same for one in gone), len(gone)),
        "fixes_rolled_back": sum(one.rolled_back for one in result.mended),
    }


def by(result: Result, key: Callable[[Judged], str]) -> Mapping[str, str]:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for one in result.judged:
        groups[key(one)].append(bool(one.found))
    return {name: f"{sum(groups[name])}/{len(groups[name])}" for name in sorted(groups)}


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def told(result: Result) -> Iterable[str]:
    """What was missed, and what was found that should not have been."""
    for one in result.judged:
        if not one.found:
            yield f"missed  {one.subject} {one.fault.dimension}/{one.fault.kind} {one.fault.id}"
        for finding in one.beside:
            yield f"beside  {one.subject} {one.fault.id}: {line(finding)}"
    for name, findings in (*result.healthy.items(), *result.look_alikes.items()):
        yield from (f"false   {name}: {line(finding)}" for finding in findings)


def line(finding: Finding) -> str:
    return f"{finding.severity} {finding.rule} {finding.file}:{finding.line} {finding.message[:120]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=GROUPS, action="append")
    parser.add_argument("--packages", type=Path, help="folder with the tarballs of the packages; without it only ours")
    parser.add_argument("--no-fixes", action="store_true", help="find only, which takes seconds")
    parser.add_argument("--list", action="store_true", help="what was missed, and what was false")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for group in options.group or GROUPS:
        result = measured(group, options.packages, fixes=not options.no_fixes)
        if not result.judged:
            continue
        if options.json:
            print(json.dumps({"group": group, **figures(result)}))
            continue
        print(group)
        for name, value in figures(result).items():
            if isinstance(value, Mapping):
                print(f"  {name.replace('_', ' ')}")
                for inner, number in value.items():
                    print(f"    {inner:42} {number}")
            else:
                print(f"  {name.replace('_', ' '):44} {value}")
        if options.list:
            print(*told(result), sep="\n")


if __name__ == "__main__":
    main()
