"""The front matter does not keep to the format of agentskills.io (specification as of November 2026)."""

import re
from collections.abc import Iterator

from loopwright.skills.detectors.detector import Detector, DetectorHit, top
from loopwright.skills.findings import Severity
from loopwright.skills.reader.markdown import FrontMatter
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page

NAME, DESCRIPTION, COMPATIBILITY = 64, 1024, 500
"""Characters at most."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


def detect_front_matter(skill: Skill) -> Iterator[DetectorHit]:
    page = skill.pages.get(skill.main)
    above = any(path != skill.main and path.endswith("/SKILL.md") for path in skill.files)
    if page is None or "template" in skill.name or (page.front is None and above):
        return  # a page above other skills tells which there are
    if page.front is None:
        yield DetectorHit(
            file=page.path,
            start=0,
            end=top(page),
            subject="front matter",
            message="SKILL.md has no front matter",
            advice="Begin it with name and description between two lines ---.",
        )
    elif page.front.broken:
        yield _hit(page, page.front, "", f"the front matter cannot be read: {page.front.broken}", "Write valid YAML.")
    else:
        yield from _values(skill, page, page.front)


def _values(skill: Skill, page: Page, front: FrontMatter) -> Iterator[DetectorHit]:
    for key, most in (("name", NAME), ("description", DESCRIPTION)):
        value = front.values.get(key)
        if value is None or not str(value).strip():
            yield _hit(page, front, key, f"the front matter has no {key}", f"Add a {key}.")
        elif len(str(value)) > most:
            words = f"the {key} has {len(str(value)):,} characters; {most:,} are allowed"
            yield _hit(page, front, key, words, f"Shorten the {key}.")
    name = str(front.values.get("name") or "").strip()
    if name and not _NAME.match(name):
        words = f"the name “{name}” may contain only lowercase letters, digits and single hyphens between them"
        yield _hit(page, front, "name", words, "Write it so, and name the folder like it.", severity="medium")
    elif name and name != skill.name:
        words = f"the name is “{name}”, but the folder is “{skill.name}”; they must match"
        yield _hit(page, front, "name", words, "Give both the same name.", severity="low")
    more = front.values.get("compatibility")
    if isinstance(more, str) and len(more) > COMPATIBILITY:
        words = f"compatibility has {len(more):,} characters; {COMPATIBILITY} are allowed"
        yield _hit(page, front, "compatibility", words, "Shorten it.", severity="low")


def _hit(
    page: Page, front: FrontMatter, key: str, message: str, advice: str, severity: Severity | None = None
) -> DetectorHit:
    found = page.key(key) if key else None
    start, end = found or (front.start, min(front.start + 3, front.end))
    return DetectorHit(
        file=page.path,
        start=start,
        end=end,
        subject=f"front matter {key}".strip(),
        message=message,
        advice=advice,
        severity=severity,
    )


DETECTOR = Detector(
    rule="front-matter",
    dimension="agent",
    severity="high",
    confidence="certain",
    strategy="custom",
    title="Front matter that the format does not allow",
    why="Hosts read name and description to decide whether to load the skill; what they cannot read is ignored.",
    advice="Follow the format.",
    look=detect_front_matter,
)
