"""The behaviour of pages made of text, for the tests of it."""

from loopwright.tune.skill.behaviour import Code, read_code
from loopwright.tune.skill.model import Argument, Call, Page, PageKind
from loopwright.tune.skill.page import read_page


def page_of(text: str, path: str = "phases/01-plan.md", kind: PageKind | None = None) -> Page:
    page = read_page(path, text.encode("utf-8", "surrogateescape"), kind)
    assert page is not None
    return page


def code_of(text: str, path: str = "phases/01-plan.md") -> Code:
    """The behaviour of a page with that text."""
    return read_code(page_of(text, path))


def script(code: str, lang: str = "javascript") -> Code:
    """The behaviour of a step whose only code is that."""
    return code_of(f"# Phase 1: Plan\n\n## Steps\n\nDo this:\n\n```{lang}\n{code}\n```\n")


def call(code: Code, name: str) -> Call:
    """The one call of that name."""
    found = [one for one in code.calls if one.name == name]
    assert len(found) == 1, [one.name for one in code.calls]
    return found[0]


def argument(code: Code, name: str, key: str | None) -> Argument:
    found = next((one for one in call(code, name).arguments if one.name == key), None)
    assert found is not None, call(code, name).arguments
    return found


def named(one: Call) -> list[tuple[str | None, str]]:
    return [(argument.name, argument.value) for argument in one.arguments]
