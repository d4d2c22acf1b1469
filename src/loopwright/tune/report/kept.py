"""A skill that was looked at before, and is what it was: its findings are taken as they were."""

from collections.abc import Collection
from dataclasses import replace

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from loopwright.domain.findings import Dimension
from loopwright.domain.skill_files import SkillFiles, digest
from loopwright.ports import FoundBefore
from loopwright.tune.report.checked import Checked, Repair, check

_CHECKED = TypeAdapter(Checked)


def checked(
    files: SkillFiles, path: str, dimensions: Collection[Dimension], accepted: Collection[str], known: FoundBefore
) -> Checked:
    """The same as `check`, to the byte; worked out only where it is not known."""
    key = key_of(files, dimensions, accepted)
    data = known.get(key)
    found = _read(data, files, path) if data is not None else None
    if found is None:
        found = check(files, path, dimensions, accepted)
        if kept := _written(found):
            known.put(key, kept)
    return found


def key_of(files: SkillFiles, dimensions: Collection[Dimension], accepted: Collection[str]) -> str:
    """Of all that the findings depend on, but for the code: the files, those above, catalogues, what is asked."""
    parts = (
        files.name, files.tree, *(f"{name}:{size}" for name, size in sorted(files.unread.items())), "",
        *sorted(files.above), "", *(part for pair in files.catalogues for part in pair), "", *sorted(dimensions), "",
        *sorted(accepted),
    )  # fmt: skip
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _written(found: Checked) -> bytes | None:
    """Without what the files say anyhow. None for what JSON has no place for, such as a byte that is no UTF-8."""
    bare = replace(found, path="", repairs=tuple(replace(repair, texts={}) for repair in found.repairs))
    try:
        return _CHECKED.dump_json(bare)
    except (PydanticSerializationError, UnicodeEncodeError):
        return None


def _read(data: bytes, files: SkillFiles, path: str) -> Checked | None:
    try:
        found = _CHECKED.validate_json(data)
        repairs = tuple(replace(one, texts=_texts(one, files)) for one in found.repairs)
    except (ValidationError, KeyError):
        return None
    return replace(found, path=path, repairs=repairs)


def _texts(repair: Repair, files: SkillFiles) -> dict[str, str]:
    return {edit.file: files.files[edit.file].decode("utf-8", "surrogateescape") for edit in repair.edits}
