"""Skills for tests, written as texts by their paths."""

from loopwright.skills.reader.model import Call, Reference, Skill
from loopwright.skills.reader.page import Page, read_page
from loopwright.skills.reader.read import read_skill


def skill(files: dict[str, str] | str, name: str = "sample") -> Skill:
    """A text alone is SKILL.md."""
    texts = {"SKILL.md": files} if isinstance(files, str) else files
    return read_skill(name, {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()})


def page_of(text: str, path: str = "SKILL.md") -> Page:
    page = read_page(path, text.encode("utf-8", "surrogateescape"))
    assert page is not None, "this is text"
    return page


def referred(skill: Skill) -> dict[str, Reference]:
    return {reference.raw: reference for reference in skill.references}


def dead(skill: Skill) -> list[str]:
    return [one.target for one in skill.references if one.resolved is None and one.at.use == "instruction"]


def called(text: str) -> list[Call]:
    """In a fence of JavaScript."""
    return [*skill(f"# S\n\nDo this:\n\n```js\n{text}\n```\n").calls]
