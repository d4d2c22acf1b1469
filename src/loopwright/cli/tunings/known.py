"""The baseline of a command: findings that are accepted as they are, by the skill's path from where the file lies."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from loopwright.cli.output import remark
from loopwright.domain.errors import Invalid, NotFound
from loopwright.domain.words import agreeing, plural

if TYPE_CHECKING:
    from loopwright.tune.baseline import Baseline
    from loopwright.tune.report.checked import Checked


class Known(Protocol):
    """What is known of the skills already."""

    def accepted(self, root: Path) -> frozenset[str]:
        """Fingerprints of what is not to be told again."""
        ...


class Nothing:
    """No baseline was named."""

    def accepted(self, root: Path) -> frozenset[str]:
        return frozenset()


class BaselineFile:
    """What a file accepts."""

    def __init__(self, file: Path, baseline: "Baseline") -> None:
        self._file, self._baseline = file, baseline

    def accepted(self, root: Path) -> frozenset[str]:
        return self._baseline.accepted(_name(self._file, root))

    def tell_gone(self, found: "Sequence[tuple[Path, Checked]]") -> None:
        """Entries about these skills that nothing stands for any more, so that the file shrinks."""
        gone = [
            entry
            for root, skill in found
            for entry in self._baseline.gone(
                _name(self._file, root), (*skill.findings, *(one.finding for one in skill.silenced))
            )
            if _was_looked_for(entry.rule, skill)
        ]
        for entry in gone:
            remark(f"gone: {entry.skill}: {entry.rule} in {entry.file}: {entry.message}")
        if gone:
            words = f"{plural(len(gone), 'finding')} in {self._file} no longer {agreeing(len(gone), 'occurs')}"
            remark(f"{words}; rewrite it with --update-baseline")


def read_baseline(file: Path) -> BaselineFile:
    """NotFound, Invalid, NewerSchema."""
    from loopwright.tune.baseline import read

    if not file.is_file():
        raise NotFound(f"there is no baseline {file}; write one with --update-baseline")
    return BaselineFile(file, read(str(file), file.read_bytes()))


def write_baseline(file: Path, found: "Sequence[tuple[Path, Checked]]", now: str) -> BaselineFile:
    """Accepts all of this. Entries about other skills stay; an unreadable file is not written over."""
    from loopwright import __version__
    from loopwright.tune.baseline import baseline_of, written

    if file.is_dir():
        raise Invalid(f"--baseline {file} is a folder; name a file in it")
    mine = {_name(file, root): skill.findings for root, skill in found}
    made = baseline_of(mine, version=__version__, created=now)
    if file.exists():
        others = [entry for entry in _known_in(file).entries if entry.skill not in mine]
        entries = sorted((*made.entries, *others), key=lambda e: (e.skill, e.file, e.rule, e.fingerprint))
        made = made.evolve(entries=tuple(entries))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(written(made))
    remark(f"{plural(sum(map(len, mine.values())), 'finding')} accepted in {file}")
    return BaselineFile(file, made)


def _known_in(file: Path) -> "Baseline":
    from loopwright.tune.baseline import read

    try:
        return read(str(file), file.read_bytes())
    except Invalid as error:
        raise Invalid(f"{file} is no baseline, and is not written over: delete it, or name another file") from error


def _was_looked_for(rule: str, skill: "Checked") -> bool:
    from loopwright.tune.diagnosis import rules_of

    return any(one.rule == rule for one in rules_of(skill.dimensions))


def _name(file: Path, root: Path) -> str:
    return Path(os.path.relpath(root, file.resolve().parent)).as_posix()
