"""How often TUNE's exact rules are right on published skills, by labels that were given without knowing the rules.

    BENCH_REPOSITORIES='FOLDER/{owner}+{name}/repo' python -m bench.tune [--json]

`labels.json`: repository, commit, skill, file, line, rule, and a verdict: `true`, `false`, or `arguable` where both can
be defended; `useful` says whether the author would act on it. A false one whose finding is gone by now has been mended.
Only labels are kept here, no texts. Repositories are cloned from where the environment says.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from loopwright.skills.disk.folders import SkillFolders
from loopwright.workflows.tuning.report.skill_check import check_skill

LABELS = Path(__file__).parent / "labels.json"
VERDICTS = ("true", "arguable", "false")
LEAST = 0.95
"""Of all labelled findings that are still made and not arguable, so many are true."""


class Label(NamedTuple):
    repository: str
    commit: str
    skill: str
    file: str
    line: int
    rule: str
    verdict: str
    useful: str


def labels() -> list[Label]:
    return [Label(**one) for one in json.loads(LABELS.read_text())]


def still_found(wanted: Iterable[Label]) -> Counter[tuple[str, str]]:
    """By rule and verdict, how many of the labelled findings are made today; those that are not as `gone`."""
    told: Counter[tuple[str, str]] = Counter()
    for (repository, commit), of_one in groupby(sorted(wanted), key=lambda one: (one.repository, one.commit)):
        with tempfile.TemporaryDirectory() as folder:
            clone(repository, commit, Path(folder))
            folders = SkillFolders()
            there = {*folders.find(Path(folder))}
            for skill, mine in groupby(of_one, key=lambda one: one.skill):
                root = Path(folder) / skill
                found = check_skill(folders.read(root), skill).counted if root in there else ()
                made = {(one.rule, one.file, one.line) for one in found}
                for one in mine:
                    is_made = (one.rule, one.file, one.line) in made
                    told[one.rule, one.verdict if is_made else f"gone, {one.verdict}"] += 1
    return told


def clone(repository: str, commit: str, folder: Path) -> None:
    owner, _, name = repository.partition("/")
    source = os.environ["BENCH_REPOSITORIES"].format(owner=owner, name=name)
    subprocess.run(["git", "clone", "-q", "--no-checkout", source, str(folder)], check=True)
    # A mirror may lack its largest files: they are no text of a skill.
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", commit, "--", "."], check=False, capture_output=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    told = still_found(labels())
    rules = sorted({rule for rule, _ in told})
    made = {verdict: sum(n for (_, one), n in told.items() if one == verdict) for verdict in VERDICTS}
    precision = made["true"] / (made["true"] + made["false"])
    figures = {
        "precision": precision, "strict": made["true"] / sum(made.values()), "least": LEAST, **made,
        "rules": {rule: {verdict: n for (one, verdict), n in sorted(told.items()) if one == rule} for rule in rules},
    }  # fmt: skip
    if given.json:
        print(json.dumps(figures))
        return
    for rule in rules:
        print(f"{rule:24} " + ", ".join(f"{n} {verdict}" for (one, verdict), n in sorted(told.items()) if one == rule))
    print(", ".join(f"{n} {verdict}" for verdict, n in made.items()) + f": {precision:.3f} (at least {LEAST})")
    print(f"with the arguable ones as false {figures['strict']:.3f}")


if __name__ == "__main__":
    main()
