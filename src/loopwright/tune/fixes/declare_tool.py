"""A tool that is used gets into allowed-tools, in the way in which the others stand there."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

_LINE = re.compile(r"^(?:allowed-)?tools\s*:[ \t]*+(?P<value>(?:[^\r\n]*\S)?)[ \t]*+\r?$", re.MULTILINE)
_ENTRY = re.compile(r"\r?\n(?P<indent>[ \t]*)-[ \t]+(?P<quote>[\"']?)[^\r\n]*")
_CLOSERS = "]\"'"


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    tools = [finding for finding in findings if finding.facts.get("tool")]
    page = skill.pages.get(skill.main)
    for finding in findings:
        if (key := finding.facts.get("key")) and page is not None:
            at = page.text.find(key, finding.start, finding.end)
            if at >= 0:
                words = f"Name the key allowed-tools in place of {key}"
                yield _proposal((finding,), edit(page, at, at + len(key), "allowed-tools"), words)
    if tools and page is not None:
        names = [finding.facts["tool"] for finding in tools]
        change = _added(page, names)
        if change is not None:
            yield _proposal(tuple(tools), change, f"List {', '.join(names)} in allowed-tools")


def _added(page: Page, names: list[str]) -> Edit | None:
    """At the end of the list, with the separator that it has."""
    front = page.front
    found = _LINE.search(page.text, front.start, front.end) if front else None
    if found is None:
        return None
    value = found["value"]
    if not value:
        return _entries(page, names, found.end())
    if value.startswith(("#", "|", ">", "&", "*")) or (value.startswith("[") and not value.endswith("]")):
        return None
    stop = found.start("value") + len(value)
    while stop > found.start("value") and page.text[stop - 1] in _CLOSERS:
        stop -= 1
    quoted = value.startswith("[") and page.text[stop : stop + 1] in ("'", '"')
    if quoted:
        stop, quote = stop + 1, page.text[stop]
        return edit(page, stop, stop, "".join(f", {quote}{name}{quote}" for name in names))
    listed = value.strip(_CLOSERS + "[")
    between = ", " if "," in listed or " " not in listed else " "
    return edit(page, stop, stop, "".join(f"{between}{name}" for name in names))


def _entries(page: Page, names: list[str], at: int) -> Edit | None:
    last = None
    line = page.text[at - 1 : at] == "\r"
    here = at - 1 if line else at
    while (found := _ENTRY.match(page.text, here)) is not None:
        last, here = found, found.end()
    if last is None:
        return None
    new = "".join(f"\n{last['indent']}- {last['quote']}{name}{last['quote']}" for name in names)
    return edit(page, here, here, new)


def _proposal(findings: tuple[Finding, ...], change: Edit, words: str) -> Proposal:
    return Proposal(
        fingerprints=tuple(finding.fingerprint for finding in findings), rule="undeclared-tool", strategy="custom",
        level="mechanical",
        description=words, rationale="What the skill tells to use has to be allowed.", edits=(change,),
        estimated_impact="the host no longer stops or refuses at that step",
        verification_steps=("diagnose the whole skill again", "see that the tool may be used without asking"),
    )  # fmt: skip


FIXER = Fixer(frozenset({"undeclared-tool"}), "mechanical", propose)
