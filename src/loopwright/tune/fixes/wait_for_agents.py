"""Agents that were started are waited for, in the way in which the skill does it elsewhere."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.agency import Act, acts, in_code
from loopwright.tune.skill.model import Call, Page, Skill

USUAL = 600_000
"""Milliseconds that an agent may take, where the skill says nothing."""
_REST = re.compile(r"[)\]}; \t]*")
_MANY = re.compile(r"\.map\s*\(|\[\s*\]")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    waits = [act for act in acts(skill) if act.does == "wait" and act.call.arguments and in_code(skill, act.call)]
    for finding in findings:
        index = int(finding.facts.get("call", "-1"))
        target = finding.facts.get("target", "").split(".")[-1]
        if not 0 <= index < len(skill.calls) or not target.isidentifier():
            continue
        page, call = skill.pages[finding.file], skill.calls[index]
        statement, level = _statement(skill, page, call, target, waits)
        at = _behind(page, call)
        indent = _indent(page, call)
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level=level,
            description=f"Wait for {target} before going on", rationale="The skill waits for its other agents in "
            "these words." if waits
            else "What the agents make is used by the next step.",
            edits=(edit(page, at, at, f"\n{indent}{statement}"),), risk="low" if waits else "medium",
            estimated_impact="the next step finds what the agents have made", verification_steps=("diagnose the whole "
            "skill again",),
        )  # fmt: skip


def _statement(skill: Skill, page: Page, call: Call, target: str, waits: list[Act]) -> tuple[str, FixLevel]:
    line = page.text[page.text.rfind("\n", 0, call.at.start) + 1 : call.at.start]
    many = bool(_MANY.search(line)) or target.endswith("s")
    ids = target if many else f"[{target}]"
    if not waits:
        old = any(one.name == "close_agent" and one.argument("id") for one in skill.calls)
        name, parameter = ("wait", "ids") if old else ("wait_agent", "targets")
        return f"const finished = {name}({{ {parameter}: {ids}, timeout_ms: {USUAL} }})", "template"
    near = sorted(waits, key=lambda act: (act.call.at.file != page.path, abs(act.call.at.start - call.at.start)))[
        0
    ].call
    text = skill.pages[near.at.file].text[near.at.start : near.at.end]
    first = next((one for one in near.arguments if one.name in ("ids", "targets", "agent_ids", "agents")), None)
    if first is not None:
        begin = first.at.start - near.at.start
        end = begin + first.at.end - first.at.start
        shorthand = first.value == first.name
        text = f"{text[:begin]}{f'{first.name}: ' if shorthand and ids != first.name else ''}{ids}{text[end:]}"
    name = (
        near.target
        if near.target and near.target.isidentifier() and near.target not in _set(skill, page)
        else "finished"
    )
    return f"const {name} = {text}", "mechanical"


def _set(skill: Skill, page: Page) -> frozenset[str]:
    return frozenset(one.name for one in skill.assignments if one.at.file == page.path)


def _behind(page: Page, call: Call) -> int:
    """The end of the statement: behind what closes around the call."""
    found = _REST.match(page.text, call.at.end)
    end = found.end() if found else call.at.end
    line = page.text.find("\n", end)
    stop = len(page.text) if line < 0 else line
    return stop - 1 if page.text[stop - 1 : stop] == "\r" else stop


def _indent(page: Page, call: Call) -> str:
    line = page.text.rfind("\n", 0, call.at.start) + 1
    return page.text[line : line + len(page.text[line:]) - len(page.text[line:].lstrip(" \t"))]


FIXER = Fixer(frozenset({"spawn-without-wait"}), "mechanical", propose)
