"""A call waits for agents and says no longest time."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import MEANT, PARTS, Act, acts, in_code, is_drawn, names_given, where
from loopwright.tune.skill.model import Page, Skill

_SAID = re.compile(
    r"\b(?:time[- ]?(?:limit|out)|deadline)\b[^.\n]{0,40}(?:\d|(?-i:[A-Z_]{5,}))"
    r"|\b(?:at most|within|up to|no longer than|for)\s+\S+\s+(?:ms|milli\w+|seconds?|minutes?|hours?)\b"
    r"|(?:时限|超时|最长|至多|最多)[^。\n]{0,12}\d+\s*(?:毫秒|秒|分钟|小时)",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"\b(?:timeout|yield_time)\w{0,12}[\"']?\s{0,4}[:=][^\n]{0,80}", re.IGNORECASE)
_LONGEST = re.compile(
    r"\b(?:longest|maximum|max\.?|most)\b[^|\n]{0,20}\b(?:wait|time)|\bhow long\b[^|\n]{0,30}\bwait|\btime-?out\b"
    r"|最[长多]等|等待(?:上限|时限|的?最长)|超时",
    re.IGNORECASE,
)
_NAME = re.compile(r"[ \t]*+`([A-Za-z](?=\w*_\w)\w++)`[ \t]*+\|[ \t]*+`?\d")
"""The row's first cell names a setting, and the second gives its number."""
_WAIT = re.compile(
    r"\b[Ww]ait (?:until|for|till) (?:all|every|each|both|the|them|it)\b[^.;\n]{0,60}"
    r"|等(?:待|到)?(?:所有|全部|每个|它们?|他们)[^。；\n]{0,30}"
)
_WAITING = re.compile(
    r"`((?:[a-z][\w-]* ){1,3}(?:await|wait)\b[^`\n]{0,120}|(?:\w{1,40}_)?(?:wait"
    r"|await)(?:_\w{1,40})?\([^`\n]{1,120}\))`"
)
"""In backticks: `crew await <name>`, `wait_for_run(id=…)`."""
_TIME = re.compile(
    r"time.?out|time.?limit|deadline|\b\d+ ?(?:ms|s|sec\w*|min\w*|hours?)\b|max.?wait|\bpoll|\bnotif|超时|时限"
    r"|\d ?(?:分钟|秒)|轮询"
    r"|通知",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:not|never|no|avoid|instead of|rather than|without)\b[^.;\n]{0,40}\Z|(?:不|勿|别|避免)[^。；\n]{0,12}\Z",
    re.IGNORECASE,
)
SIBLINGS = 3
"""Calls of the tool with a limit after which one without is a slip, whatever is said beside it."""
AROUND = 400
"""Characters around the call in which its limit may be said."""


def look(skill: Skill) -> Iterator[Hit]:
    waits = [
        act for act in acts(skill) if (act.does == "wait" or _blocks(act)) and act.limit and in_code(skill, act.call)
    ]
    limited = [act for act in waits if act.limit in names_given(act.call)]
    for act in waits:
        same = [other for other in limited if other.call.name == act.call.name]
        if act in limited or is_drawn(skill, act.call) or _may_lack(act):
            continue
        if len(same) < SIBLINGS and (not names_given(act.call) or _is_said(skill, act)):
            continue
        yield _hit(act, same)
    yield from _told(skill)
    yield from _written(skill, frozenset(act.call.name for act in limited))


def _blocks(act: Act) -> bool:
    """It starts agents and goes on when all have ended, with a limit of its own."""
    return act.does == "spawn" and act.limit is not None and act.call.prompt < 0


def _written(skill: Skill, limited: frozenset[str]) -> Iterator[Hit]:
    """A command or a tool that waits stands in the words of a section that knows no time.

    `limited`: tools whose calls have a limit; words that name one of them only speak of it.
    """
    for page in skill.pages.values():
        for block in page.blocks if page.kind in PARTS else ():
            if block.use not in MEANT or block.kind not in ("paragraph", "item", "row"):
                continue
            found = _WAITING.search(block.text)
            section = page.sections[block.section] if block.section >= 0 else None
            start, end = (section.start, section.end) if section else (0, len(page.text))
            if (
                found is None
                or found[1].partition("(")[0] in limited
                or _NEVER.search(block.text[: found.start()])
                or _TIME.search(page.text, start, end)
            ):
                continue
            yield Hit(
                file=page.path, start=block.body + found.start(1), end=block.body + found.end(1), subject=found[1][:60],
                message=f"{found[1]} waits, and nothing here says how long at most",
                advice="Give it a time limit, and say what happens when the time is over.", confidence="likely",
            )  # fmt: skip


def _told(skill: Skill) -> Iterator[Hit]:
    """Words tell to wait, and the longest wait that the skill sets is used nowhere."""
    limit = _unused(skill)
    if limit is None:
        return
    owner, name, at = limit
    for page in skill.pages.values():
        for block in page.blocks if page.kind in PARTS else ():
            if block.use != "instruction" or block.kind not in ("paragraph", "item") or _SAID.search(block.text):
                continue
            if (found := _WAIT.search(block.text)) is None:
                continue
            line = owner.text.count("\n", 0, at) + 1
            yield Hit(
                file=page.path, start=block.body + found.start(), end=block.body + found.end(),
                subject=found[0][:60], also=(f"{owner.path}:{line}",),
                message=f"it waits without a limit, and {name} ({owner.path}:{line}), set for that, is used nowhere",
                advice=f"Wait no longer than {name}, and say what happens when the time is over.",
                facts={"limit": name},
            )  # fmt: skip


def _unused(skill: Skill) -> tuple[Page, str, int] | None:
    """A row of a table that sets a time to wait by a name that no other place of the skill has."""
    for page in skill.pages.values():
        if page.kind not in PARTS:
            continue
        for block in page.blocks:
            if block.kind != "row" or block.use != "instruction" or not _LONGEST.search(block.text):
                continue
            named = _NAME.match(block.text)
            if named and sum(other.text.count(named[1]) for other in skill.pages.values()) == 1:
                return page, named[1], block.body + named.start(1)
    return None


def _is_said(skill: Skill, act: Act) -> bool:
    """In words around it; a number that another call is given is no limit of this one."""
    text, at = skill.pages[act.call.at.file].text, act.call.at
    return _SAID.search(_GIVEN.sub("", text[max(0, at.start - AROUND) : at.end + AROUND])) is not None


def _may_lack(act: Act) -> bool:
    """Output that is only looked at, without waiting for its end."""
    block = act.call.argument("block")
    given = names_given(act.call)
    return (block is not None and block.value.lower() == "false") or bool(
        given & {"timeout", "timeout_ms", "yield_time_ms"}
    )


def _hit(act: Act, same: list[Act]) -> Hit:
    call = act.call
    model = same[0].call.argument(act.limit or "") if same else None
    words = f", as {where(same[0].call)} has it" if same else ""
    what = call.arguments[0].value[:60] if call.arguments else "agents"
    return Hit(
        file=call.at.file, start=call.at.start, end=call.at.end, phase=call.at.phase,
        subject=f"{call.name} {what}", also=tuple(where(one.call) for one in same[:3]),
        message=f"{call.name} waits for {what} without {act.limit}",
        advice=f"Give it {act.limit}: {model.value if model else 600000}{words}, and say what happens when the time "
        f"is over.",
        facts={"call": str(act.index), "parameter": act.limit or "", "value": model.value if model else ""},
        severity=None if same or (act.known.name != "TaskOutput" and not _blocks(act)) else "low",
        confidence="certain" if same else "likely",
    )  # fmt: skip


DETECTOR = Detector(
    rule="wait-without-limit", dimension="agent", severity="medium", confidence="likely", strategy="custom",
    title="A wait without a time limit",
    why="An agent that hangs or never answers holds up the whole run, and nobody comes to look.",
    advice="Give the wait a time limit, and say what happens then.", look=look,
)  # fmt: skip
