"""The file in which a run keeps its state, what belongs into it, and other files that hold the same."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.reading.files.runfiles import RunFile
from loopwright.tune.skill.model import Artefact, Schema, Skill
from loopwright.tune.skill.names import COUNTING, DIR

_STATE = re.compile(r"state|status|progress|session|tracker|checkpoint|current|journal|resume|cursor", re.IGNORECASE)
_ASIDE = re.compile(r"\.(?:tmp|prev|bak|old|lock)\b|backup|snapshot|schema|example", re.IGNORECASE)
_COMMON = frozenset(
    {
        "id",
        "name",
        "title",
        "note",
        "notes",
        "updated_at",
        "created_at",
        "path",
        "file",
        "errors",
        "version",
        "timestamp",
    }
)
"""Fields that any file may have."""
_TICKED = re.compile(r"`([A-Za-z_][\w.]{2,40})`")
_END = re.compile(r"[.。;；\n]")
FEWEST = 2


@dataclass(frozen=True, slots=True)
class Second:
    """`place` writes, or reads, `fields` of the state in a file of their own."""

    place: Artefact
    file: RunFile
    fields: tuple[str, ...]
    first: str
    schema: Schema


def seconds(skill: Skill, files: Mapping[str, RunFile]) -> Iterator[Second]:
    """Files that hold two fields of the state or more, and little else."""
    for schema in skill.schemas:
        first = _file_of(skill, schema, files)
        if first is None or schema.format == "json":
            continue
        own = {field.path.split(".", 1)[0].removesuffix("[]") for field in schema.fields} - _COMMON
        for file in files.values():
            base = file.base
            if (
                file.name == first.name
                or not base.endswith(".json")
                or _ASIDE.search(base)
                or COUNTING in base
                or not file.made
            ):
                continue
            place, held = _held(skill, file)
            same = [name for name in held if name in own]
            enough = len(same) >= FEWEST and 2 * len(same) >= len(held)
            if (
                place is not None
                and enough
                and (_STATE.search(base) or len(same) > FEWEST)
                and not _has_schema(skill, base)
            ):
                yield Second(place, file, tuple(same), first.base, schema)


def _file_of(skill: Skill, schema: Schema, files: Mapping[str, RunFile]) -> RunFile | None:
    """The file that the schema describes: by its name, or because its page says so right before it."""
    page = skill.pages[schema.at.file]
    before = page.text[max(0, schema.at.start - 400) : schema.at.start]
    named = [file for file in files.values() if file.base.endswith(".json") and COUNTING not in file.base and file.made]
    by_name = next((file for file in named if file.base in schema.name), None)
    if by_name is not None:
        return by_name if _is_centre(by_name) else None
    if not schema.name.lower().endswith("state"):
        return None
    return next((file for file in named if file.base in before and _is_centre(file)), None)


def _is_centre(file: RunFile) -> bool:
    return file.name.count("/") == 1 and file.name.startswith(DIR) and (len(file.made) > 1 or len(file.pages) > 2)


def _held(skill: Skill, file: RunFile) -> tuple[Artefact | None, tuple[str, ...]]:
    """Where it is written with what: an object in code, or names in the sentence."""
    for one in file.made:
        page = skill.pages[one.at.file]
        stem = file.base.rsplit(".", 1)[0].replace("-", "_")
        near = range(one.at.start, one.at.end + 600)
        coded = [u.path for u in skill.fields if u.at.file == page.path and u.at.start in near and u.mode == "write"
                 and u.root.replace("-", "_") == stem and "." not in u.path]  # fmt: skip
        if coded:
            return one, tuple(dict.fromkeys(coded))
        end = _END.search(page.text, one.at.end)
        sentence = page.text[one.at.end : end.start() if end else None][:200]
        told = tuple(dict.fromkeys(_TICKED.findall(sentence)))
        if told and one.call < 0:
            return one, told
    return None, ()


def _has_schema(skill: Skill, base: str) -> bool:
    """It is declared as a file of its own."""
    return any(base in schema.name for schema in skill.schemas)


def state_file(files: Mapping[str, RunFile]) -> RunFile | None:
    """The JSON file of the run that is named as its state, and is written and read."""
    found = [
        f for f in files.values() if f.base.endswith("state.json") and (f.made or f.needed) and COUNTING not in f.base
    ]
    return max(found, key=lambda f: len(f.all), default=None)
