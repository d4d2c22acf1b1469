"""The programs, and the faults that were put into them."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

HERE = Path(__file__).parent / "programs"
Half = Literal["tuning", "held"]
HALVES: tuple[Half, ...] = get_args(Half)


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Change(Part):
    """`old` occurs once in the healthy file."""

    file: str
    old: str
    new: str


class Line(Part):
    """A line of the faulty file that must change; for an omission, one beside which something is missing."""

    file: str
    text: str


class Fault(Part):
    """`needs`: what a repair has to write."""

    id: str
    summary: str
    story: str
    edits: tuple[Change, ...]
    lines: tuple[Line, ...]
    needs: Literal["expression", "statement", "several"]


class About(Part):
    layout: Literal["flat", "src", "package"]
    runner: Literal["pytest", "unittest"]
    summary: str


@dataclass(frozen=True)
class Program:
    """A healthy project with its faults; `inputs` is the file whose `outcomes` tell right from plausible."""

    name: str
    project: Path
    inputs: Path
    about: About
    faults: tuple[Fault, ...]

    @property
    def command(self) -> str:
        return "python -m pytest" if self.about.runner == "pytest" else "python -m unittest discover"

    def planted(self, fault: Fault, root: Path) -> None:
        """Writes the faulty project to `root`. ValueError for an edit that does not fit."""
        shutil.copytree(self.project, root, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
        for edit in fault.edits:
            text = (root / edit.file).read_text()
            if text.count(edit.old) != 1:
                raise ValueError(f"{fault.id}: the text to change stands {text.count(edit.old)} times in {edit.file}")
            (root / edit.file).write_text(text.replace(edit.old, edit.new))


def programs(half: Half) -> Iterator[Program]:
    for folder in sorted((HERE / half).iterdir()):
        if not (folder / "about.json").is_file():
            continue
        yield Program(
            folder.name, folder / "project", folder / "inputs.py",
            About.model_validate_json((folder / "about.json").read_bytes()),
            tuple(Fault.model_validate(item) for item in json.loads((folder / "faults.json").read_bytes())),
        )  # fmt: skip
