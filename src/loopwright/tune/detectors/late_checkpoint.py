"""Long work is saved only when all of it is done."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.state.saves import MAYBE, SAVES, STATE, STATE_ITSELF, Saved, Unsaved, saves, unsaved
from loopwright.tune.reading.state.saving import postponed
from loopwright.tune.skill.model import At, Call, Repeat, Skill

WORK = frozenset({
    "Task", "Agent", "spawn_agent", "spawn_agents_on_csv", "wait", "wait_agent", "delegate", "delegate_task",
    "delegate_to_agent", "assign_task", "send_input", "followup_task", "subagent", "dispatch", "TaskOutput",
})  # fmt: skip
"""Calls that take long and cost much."""
_LEAVES = re.compile(r"[^{}\n]{0,80}\n?[^{}]{0,200}?\b(?:break|return|throw|exit)\b")
"""What follows a save that is made only as the loop is left."""
_COMMANDS = frozenset({"Bash", "shell", "exec_command", "run_shell_command"})
LONG = 300_000
"""Milliseconds that a command is given: whoever allows it that long counts on it."""
NEAR = 50
"""Lines behind the loop in which it is saved."""
_MARKED = re.compile(r"\w\.(?:status|step|state|done|phase|verdict)\s?=(?![=>])")


def look(skill: Skill) -> Iterator[Hit]:
    seen: set[str] = set()
    for repeat in skill.repeats:
        if repeat.kind == "code" and repeat.at.use in ("instruction", "prompt") and _works(skill, repeat):
            late = _late(skill, repeat)
            if late is not None:
                seen.add(repeat.at.file)
                yield _of_code(repeat, late)
    for lack in unsaved(skill):
        yield _of_page(lack)
    for saying in postponed(skill):
        if saying.page.path not in seen:
            yield Hit(
                file=saying.page.path, start=saying.start, end=saying.end, subject=" ".join(saying.text.split())[:60],
                message="the state of long work is written only once all of it is done", confidence="likely",
            )  # fmt: skip


def _works(skill: Skill, repeat: Repeat) -> bool:
    """Agents work in it, and no other loop is around it."""
    if any(_holds(other, repeat) for other in skill.repeats):
        return False
    called = {call.name for call in skill.calls if _in(call, repeat)}
    if called & WORK or any(_in(call, repeat) and _takes_long(skill, call) for call in skill.calls):
        return True
    functions = (one for one in skill.assignments if one.name in called and one.at.file == repeat.at.file)
    return any(call.name in WORK and _within(call, one.at) for one in functions for call in skill.calls)


def _takes_long(skill: Skill, call: Call) -> bool:
    """A command that is given minutes, or a page of the skill that is carried out in each round."""
    if call.name in _COMMANDS:
        return any(
            one.name in ("timeout", "timeout_ms") and one.value.isdecimal() and int(one.value) >= LONG
            for one in call.arguments
        )
    path = next((one.literal or "" for one in call.arguments), "") if call.name in ("Read", "read", "load") else ""
    folder = path.partition("$")[0]
    return folder.endswith("/") and path.endswith(".md") and any(name.startswith(folder) for name in skill.pages)


def _within(call: Call, at: At) -> bool:
    return call.at.file == at.file and at.start <= call.at.start < at.end


def _holds(other: Repeat, one: Repeat) -> bool:
    same = other.kind == "code" and other.at.file == one.at.file and other is not one
    return same and other.at.start <= one.at.start and one.at.end <= other.at.end


def _in(call: Call, repeat: Repeat) -> bool:
    return call.at.file == repeat.at.file and repeat.at.start <= call.at.start < repeat.at.end


def _late(skill: Skill, repeat: Repeat) -> Saved | None:
    """A state file that is written right behind the loop, where nothing is written in it."""
    saved = [one for one in saves(skill) if one.at.file == repeat.at.file]
    text = skill.pages[repeat.at.file].text
    inside = (one for one in saved if repeat.at.start <= one.at.start < repeat.at.end)
    if any(not _LEAVES.match(text, one.at.end, repeat.at.end) for one in inside):
        return None
    body = text[repeat.at.start : repeat.at.end]
    behind = (one for one in saved if one.at.start >= repeat.at.end and _tells(one, repeat.head, body))
    near = min(behind, key=lambda one: one.at.start, default=None)
    return near if near is not None and text.count("\n", repeat.at.end, near.at.start) < NEAR else None


def _tells(saved: Saved, head: str, body: str) -> bool:
    """It says how far the work of the loop is."""
    if saved.is_state and (not saved.of or STATE.search(MAYBE.sub("", saved.name.rpartition("/")[2]))):
        return True
    if saved.is_state and _MARKED.search(body):
        return True
    named = saved.is_state or SAVES.match(saved.name.rpartition(".")[2]) is not None
    set_in = r"(?:\.\w{1,60}|\[[^\]\n]{1,60}\]){0,6}(?:\s?\+?=(?![=>])|\+\+|\.(?:push|add|set|append|extend)\()"
    if any(re.search(rf"(?<![.\w]){one}{set_in}", body) for one in saved.of if named or STATE_ITSELF.fullmatch(one)):
        return True
    return _is_marked(saved, head, body)


def _is_marked(saved: Saved, head: str, body: str) -> bool:
    """The loop itself marks, in each item of what is written behind it, how far it is."""
    item = re.search(r"\b(?:const|let|var|for) \(?(\w{1,60}) (?:of|in) (\w{1,60})", head)
    if item is None or item[2] not in saved.of or not saved.name.endswith(".json"):
        return False
    return re.search(rf"(?<![.\w]){item[1]}\.(?:status|step|state|done|phase|verdict)\s?=(?![=>])", body) is not None


def _of_code(repeat: Repeat, late: Saved) -> Hit:
    return Hit(
        file=late.at.file, start=late.at.start, end=late.at.end, subject=late.name, phase=late.at.phase,
        message=
            f"{late.name} is written behind the loop of line {repeat.at.line}, in each round of which long work "
            f"is done"
        ,
        advice="Write it at the end of each round: what is done then survives a break.",
        also=(f"{repeat.at.file}:{repeat.at.line}",), facts={"repeat": str(repeat.at.start)},
    )  # fmt: skip


def _of_page(lack: Unsaved) -> Hit:
    at, place = lack.last.at, f"{lack.calls[0].at.file}:{lack.calls[0].at.line}"
    return Hit(
        file=lack.page.path, start=at.start, end=at.end, subject=lack.last.name, phase=at.phase, also=(place,),
        message=f"{lack.root} is changed here and not written; {place} writes it",
        advice="Write it at the end of this step, too: what is done in it then survives a break.",
        facts={"calls": " ".join(f"{call.at.file}:{call.at.start}" for call in lack.calls)},
    )  # fmt: skip


DETECTOR = Detector(
    rule="late-checkpoint",
    dimension="context",
    severity="high",
    confidence="likely",
    strategy="checkpoint_restore",
    title="Long work is saved only at its end",
    why="When the context or the budget runs out on the way, everything that was done since the start is lost.",
    advice="Save the state after each part of the work.",
    look=look,
)
