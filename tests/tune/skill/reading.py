"""Skills for tests, written as texts by their paths."""

from loopwright.tune.skill.model import Artefact, FieldUse, Reference, Schema, Skill
from loopwright.tune.skill.read import read_skill


def skill(files: dict[str, str] | str, name: str = "sample") -> Skill:
    """A text alone is SKILL.md."""
    texts = {"SKILL.md": files} if isinstance(files, str) else files
    return read_skill(name, {path: text.encode() for path, text in texts.items()})


def referred(skill: Skill) -> dict[str, Reference]:
    return {reference.raw: reference for reference in skill.references}


def dead(skill: Skill) -> list[str]:
    return [r.target for r in skill.references if r.resolved is None and not r.outside]


def touched(skill: Skill) -> list[tuple[str, str]]:
    """Names and modes of all artefacts, in order."""
    return [(artefact.name, artefact.mode) for artefact in skill.artefacts]


def only(skill: Skill) -> Artefact:
    (artefact,) = skill.artefacts
    return artefact


def used(skill: Skill) -> list[tuple[str, str, str]]:
    return [(use.root, use.path, use.mode) for use in skill.fields]


def use_of(skill: Skill, path: str) -> FieldUse:
    (use,) = (use for use in skill.fields if use.path == path)
    return use


def shape(skill: Skill, name: str) -> Schema:
    (schema,) = (schema for schema in skill.schemas if schema.name == name)
    return schema
