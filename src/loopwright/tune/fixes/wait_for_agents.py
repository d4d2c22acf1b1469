"""Agents that were started are waited for, in the way in which the skill does it elsewhere."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.agents.agency import Act, acts, in_code
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Assignment, Call, Page, Skill

USUAL = 600_000
"""Milliseconds that an agent may take, where the skill says nothing."""
WAIT = {
    "en": "Wait until each of them has ended, ten minutes at most, and take what it returns before you go on.",
    "zh": "等它们全部结束（每个最多十分钟），取回各自的结果再继续。",
}
_BY_TASK = frozenset({"Task", "Agent"})
"""Tools whose agents are fetched with TaskOutput where they run in the background."""
_REST = re.compile(r"[)\]}; \t]*")
_MANY = re.compile(r"\.map\s*\(|\[\s*\]")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    waits = [act for act in acts(skill) if act.does == "wait" and act.call.arguments and in_code(skill, act.call)]
    for finding in findings:
        if "words" in finding.facts:
            yield _told(skill.pages[finding.file], finding)
            continue
        if finding.facts.get("new"):
            yield _in_front(skill.pages[finding.file], finding)
            continue
        index = int(finding.facts.get("call", "-1"))
        target = finding.facts.get("target", "").split(".")[-1]
        if not 0 <= index < len(skill.calls) or not target.isidentifier():
            continue
        page, call = skill.pages[finding.file], skill.calls[index]
        if call.name in _BY_TASK:
            yield _collected(skill, page, call, finding, target)
            continue
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


def _in_front(page: Page, finding: Finding) -> Proposal:
    """The agent stays in the foreground, as those do whose answer is used at once elsewhere."""
    new = finding.facts["new"]
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="mechanical",
        description="Start the agent in the foreground", rationale="The words behind it use what the agent brings, and "
        "the skill's other agents are started so.",
        edits=(edit(page, finding.start, finding.end, new),), risk="low",
        estimated_impact="the next step finds what the agent has made",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _told(page: Page, finding: Finding) -> Proposal:
    """Words that start agents are followed by words that wait for them."""
    block = page.blocks[block_at(page, finding.start)]
    below = page.blocks[page.blocks.index(block) + 1 :][:1]
    if below and below[0].kind == "code" and block.kind != "code":
        block = below[0]
    end = block.start + len(page.text[block.start : block.end].rstrip())
    words = WAIT[page.language]
    inline = block.kind in ("paragraph", "item") and not page.text[:end].endswith((":", "："))
    stop = "" if page.text[:end].endswith((".", "。", "!", "?", "！", "*")) else "。" if page.language == "zh" else "."
    gap = "" if page.language == "zh" else " "
    new = f"{stop}{gap}{words}" if inline else f"\n\n{words}"
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="template",
        description=f"Say that they are waited for: {words}",
        rationale="What they bring is used by what follows; look whether the time fits.",
        edits=(edit(page, end, end, new),), risk="medium",
        estimated_impact="the next step finds what the agents have made",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _collected(skill: Skill, page: Page, call: Call, finding: Finding, target: str) -> Proposal:
    """What runs in the background is fetched, each by its id; what a loop has started, behind the loop."""
    line = page.text[page.text.rfind("\n", 0, call.at.start) + 1 : call.at.start]
    many = bool(_MANY.search(line))
    kept = next((one for one in skill.assignments if one.at.file == page.path and _keeps(one, call, target)), None)
    around = [
        one for one in skill.repeats
        if one.kind == "code" and one.at.file == page.path and one.at.start <= call.at.start < one.at.end
    ]  # fmt: skip
    taken = [one.argument("timeout") for one in skill.calls if one.name == "TaskOutput"]
    limit = next((one.value for one in taken if one is not None), str(USUAL))
    if kept is not None and around:
        outer = min(around, key=lambda one: one.at.start)
        at, begin = _line_end(page, outer.at.end), outer.at.start
        field = re.search(rf"(\w+)\s*:\s*{re.escape(target)}\.(?:task_)?id\b", kept.value)
        plain = re.fullmatch(rf"\s*{re.escape(target)}\.(?:task_)?id\s*", kept.value)
        id = f"one.{field[1]}" if field else "one" if plain else "one.task_id"
        words = f"for (const one of {kept.name}) {_fetch(id, limit)}"
    else:
        at, begin = _behind(page, call), call.at.start
        words = (
            f"for (const one of {target}) {_fetch('one.task_id', limit)}"
            if many
            else _fetch(f"{target}.task_id", limit)
        )
    line_start = page.text.rfind("\n", 0, begin) + 1
    indent = page.text[
        line_start : line_start + len(page.text[line_start:]) - len(page.text[line_start:].lstrip(" \t"))
    ]
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="template",
        description=f"Collect {kept.name if kept else target} before going on",
        rationale="What runs in the background is fetched so elsewhere; say what happens to those that fail.",
        edits=(edit(page, at, at, f"\n{indent}{words}"),), risk="medium",
        estimated_impact="the next step finds what the agents have made",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _keeps(one: Assignment, call: Call, target: str) -> bool:
    """A list into which the agent is put, behind its start."""
    return one.grows and one.at.start > call.at.end and re.search(rf"\b{re.escape(target)}\b", one.value) is not None


def _fetch(id: str, limit: str) -> str:
    return f"TaskOutput({{ task_id: {id}, block: true, timeout: {limit} }})"


def _line_end(page: Page, position: int) -> int:
    end = page.text.find("\n", max(position - 1, 0))
    end = len(page.text) if end < 0 else end
    return end - 1 if page.text[end - 1 : end] == "\r" else end


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
