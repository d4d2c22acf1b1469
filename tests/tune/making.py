"""Findings and skills that are made by hand."""

from loopwright.skills.findings import Confidence, Dimension, Finding, Severity
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page, read_page


def page(path: str, text: str) -> Page:
    found = read_page(path, text.encode("utf-8", "surrogateescape"))
    assert found is not None
    return found


def skill(**texts: str) -> Skill:
    """A skill of these files; SKILL and phases__01 are SKILL.md and phases/01.md."""
    names = {name: name.replace("__", "/") + ("" if "." in name else ".md") for name in texts}
    pages = {names[name]: page(names[name], text) for name, text in texts.items()}
    return Skill("sample", "SKILL.md", {path: len(one.text) for path, one in pages.items()}, pages)


def finding(
    page: Page, text: str, *, rule: str = "dead-reference", dimension: Dimension = "dataflow",
    severity: Severity = "high", confidence: Confidence = "certain", subject: str | None = None,
    message: str = "it is wrong", why: str = "the model stops", advice: str = "mend it",
    also: tuple[str, ...] = (), facts: dict[str, str] | None = None,
) -> Finding:  # fmt: skip
    """One about the first place of `text` in the page."""
    start = page.text.index(text)
    end = start + len(text)
    line = page.text.count("\n", 0, start) + 1
    bol, eol = page.text.rfind("\n", 0, start) + 1, page.text.find("\n", start)
    return Finding(
        rule=rule, dimension=dimension, severity=severity, confidence=confidence, file=page.path, line=line,
        line_end=page.text.count("\n", 0, max(start, end - 1)) + 1, start=start, end=end,
        excerpt=page.text[bol : eol if eol >= 0 else None].strip()[:160], subject=subject or text, message=message,
        why=why, advice=advice, strategy="custom", also=also, facts=facts or {},
    )  # fmt: skip
