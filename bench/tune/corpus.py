"""The skills, the faults that were put into them, and the changes that only look like faults."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.domain.findings import Dimension

SKILLS = Path(__file__).parent / "skills"
Half = Literal["tuning", "held"]
Files = Mapping[str, bytes]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Change(Part):
    """One change of the healthy skill: `old` occurs exactly once in the file."""

    file: str
    action: Literal["replace", "create", "delete"]
    old: str = ""
    new: str = ""


class Place(Part):
    """Where a finding may point, in the sick skill; `text` None: anywhere in the file."""

    file: str
    text: str | None = None


class LookAlike(Part):
    """A change after which the skill is as healthy as before; `kind` is what it resembles."""

    id: str
    dimension: Dimension
    kind: str
    description: str
    edits: tuple[Change, ...]


class Fault(LookAlike):
    where: tuple[Place, ...]
    repair: str
    mechanical: bool = Field(description="Whether the right text follows from the skill itself")


class About(Part):
    language: Literal["en", "zh", "mixed"]
    shape: Literal["orchestrated", "simple"]
    host: Literal["claude", "codex", "gemini", "any"]
    summary: str


@dataclass(frozen=True)
class Subject:
    """One skill of the corpus."""

    name: str
    about: About
    files: Files
    faults: tuple[Fault, ...]
    look_alikes: tuple[LookAlike, ...]


def subjects(half: Half) -> Iterator[Subject]:
    """The skills of that half, by name; none where the half is not there."""
    folder = SKILLS / half
    for one in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (one / "about.json").is_file():
            yield Subject(
                one.name, About.model_validate_json((one / "about.json").read_bytes()), _files(one / "skill"),
                tuple(Fault.model_validate(item) for item in json.loads((one / "faults.json").read_bytes())),
                tuple(LookAlike.model_validate(item) for item in json.loads((one / "lookalikes.json").read_bytes())),
            )  # fmt: skip


def _files(folder: Path) -> Files:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def changed(files: Files, edits: tuple[Change, ...]) -> Files:
    """The skill after the change. ValueError for one that does not fit."""
    now = dict(files)
    for edit in edits:
        if edit.action == "delete":
            del now[edit.file]
        elif edit.action == "create":
            now[edit.file] = edit.new.encode()
        else:
            text = now[edit.file].decode()
            if text.count(edit.old) != 1:
                raise ValueError(f"{edit.file} holds {edit.old[:60]!r} {text.count(edit.old)} times, not once")
            now[edit.file] = text.replace(edit.old, edit.new).encode()
    return now
