"""The skills, the faults that were put into them, and the changes that only look like faults."""

import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from loopwright.domain.findings import Dimension

HERE = Path(__file__).parent
Group = Literal["tuning", "held", "fresh", "shipped", "shipped-held"]
GROUPS: tuple[Group, ...] = get_args(Group)
FOLDERS: Mapping[Group, Path] = {
    "tuning": HERE / "skills" / "tuning", "held": HERE / "skills" / "held", "fresh": HERE / "skills" / "fresh",
    "shipped": HERE / "shipped" / "open", "shipped-held": HERE / "shipped" / "held",
}  # fmt: skip
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
    """`source`: NAME@VERSION/folder in a published package, where the skill is not one of ours."""

    language: Literal["en", "zh", "mixed"]
    shape: Literal["orchestrated", "simple"]
    host: Literal["claude", "codex", "gemini", "any"] = "any"
    summary: str
    source: str | None = None


@dataclass(frozen=True)
class Subject:
    """One skill of the corpus."""

    name: str
    about: About
    files: Files
    faults: tuple[Fault, ...]
    look_alikes: tuple[LookAlike, ...]


def subjects(group: Group, packages: Path | None = None) -> Iterator[Subject]:
    """The skills of that group, by name. `packages`: folder of tarballs NAME-VERSION.tgz; without it, of ours only."""
    folder = FOLDERS[group]
    for one in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not (one / "about.json").is_file():
            continue
        about = About.model_validate_json((one / "about.json").read_bytes())
        files = _files(one / "skill") if about.source is None else _shipped(about.source, packages)
        if files:
            yield Subject(
                one.name, about, files,
                tuple(Fault.model_validate(item) for item in json.loads((one / "faults.json").read_bytes())),
                tuple(LookAlike.model_validate(item) for item in json.loads((one / "lookalikes.json").read_bytes())),
            )  # fmt: skip


def _files(folder: Path) -> Files:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _shipped(source: str, packages: Path | None) -> Files:
    """FileNotFoundError where the package was not fetched."""
    if packages is None:
        return {}
    package, _, folder = source.partition("/")
    name, _, version = package.rpartition("@")
    under = f"package/{folder}/"
    found = _unpacked(packages / f"{name}-{version}.tgz")
    return {path.removeprefix(under): data for path, data in found.items() if path.startswith(under)}


@cache
def _unpacked(tarball: Path) -> Files:
    with tarfile.open(tarball) as tar:
        return {member.name: file.read() for member in tar if member.isfile() and (file := tar.extractfile(member))}


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
