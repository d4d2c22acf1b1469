"""A call waits for agents and says no longest time."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agency import Act, acts, in_code, names_given, where
from loopwright.tune.skill.model import Skill

_SAID = re.compile(
    r"\b(?:time[- ]?(?:limit|out)|deadline)\b[^.\n]{0,40}(?:\d|[A-Z_]{5,})|\b(?:at most|within|up to|no longer than"
    r"|for)\s+\S+\s+(?:ms|milli\w+|seconds?|minutes?|hours?)\b"
    r"|(?:时限|超时|最长|至多|最多)[^。\n]{0,12}\d+\s*(?:毫秒|秒|分钟|小时)",
    re.IGNORECASE,
)
AROUND = 400
"""Characters around the call in which its limit may be said."""


def look(skill: Skill) -> Iterator[Hit]:
    waits = [
        act
        for act in acts(skill)
        if act.does == "wait" and act.limit and act.call.arguments and in_code(skill, act.call)
    ]
    limited = [act for act in waits if act.limit in names_given(act.call)]
    for act in waits:
        if act in limited or not names_given(act.call) or _is_said(skill, act) or _may_lack(act):
            continue
        same = [other for other in limited if other.call.name == act.call.name]
        yield _hit(act, same)


def _is_said(skill: Skill, act: Act) -> bool:
    text, at = skill.pages[act.call.at.file].text, act.call.at
    return bool(_SAID.search(text, max(0, at.start - AROUND), at.end + AROUND))


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
    return Hit(
        file=call.at.file, start=call.at.start, end=call.at.end, phase=call.at.phase,
        subject=f"{call.name} {call.arguments[0].value[:60]}", also=tuple(where(one.call) for one in same[:3]),
        message=f"{call.name} waits for {call.arguments[0].value[:60]} without {act.limit}",
        advice=f"Give it {act.limit}: {model.value if model else 600000}{words}, and say what happens when the time "
        f"is over.",
        facts={"call": str(act.index), "parameter": act.limit or "", "value": model.value if model else ""},
        severity=None if same or act.known.name != "TaskOutput" else "low",
        confidence="certain" if same else "likely",
    )  # fmt: skip


DETECTOR = Detector(
    rule="wait-without-limit", dimension="agent", severity="medium", confidence="likely", strategy="custom",
    title="A wait without a time limit",
    why="An agent that hangs or never answers holds up the whole run, and nobody comes to look.",
    advice="Give the wait a time limit, and say what happens then.", look=look,
)  # fmt: skip
