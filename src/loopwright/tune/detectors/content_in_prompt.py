"""A prompt takes in a whole file or the whole state, where a path or a few fields would do."""

import re
from collections.abc import Iterator, Mapping

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.holes import Hole, growth, holes, values
from loopwright.tune.reading.sayings import sayings
from loopwright.tune.skill.model import Assignment, Skill

_READ = re.compile(
    r"(?:await\s+)?(?:JSON\.parse\(\s*)?(?:fs\.)?(?:Read|read_file|readFileSync|readFile|read_text"
    r"|cat)\(\s*(?P<path>[^()]{1,120}?)\s*[,)]"
)
_STATE = re.compile(
    r"JSON\.stringify\(\s*(?:\w+\.)?(state|session|context|memory|sessionState|loopState|currentState)\s*[,)]"
)
_EACH = re.compile(r"\b(?:Read|read_file|readFileSync|readFile|readText|read_text)\(\s*\w+(?:\.\w+)*\s*\)")
_DUMP = re.compile(r"JSON\.stringify\(")
_GOAL = re.compile(
    r"request|task|goal|requirement|question|query|brief|args|argument|prompt|user|description|topic|message"
    r"|issue|title|需求|目标",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\.(?:slice|substring|substr|head|tail)\(|\.split\(|summary|\blimit\b|\boffset\b|,\s*\d+\s*\)", re.IGNORECASE
)
_STEMS = (
    ("full", "entire", "whole", "complete", "全文", "全部内容", "完整内容", "整个状态", "整份"),
    ("prompt", "message", "提示", "消息"),
)
_SAID = re.compile(
    r"\b(?:paste|copy|embed|inline|insert|dump)\w*\s+(?:the\s+)?(?:full|entire|whole|complete)\b[^.\n]{0,"
    r"60}?\b(?:prompt|message)s?\b"
    r"|(?:粘贴|拼进|塞进|复制|放进|嵌入)[^。\n]{0,12}(?:全文|全部内容|完整内容)[^。\n]{0,16}(?:提示|prompt|消息)"
    r"|(?:全文|全部内容|完整内容|整个状态|整份)[^。\n]{0,16}(?:粘贴|拼|塞|复制|放|嵌入)[^。\n]{0,6}(?:提示"
    r"|prompt|消息)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|don't|avoid|instead|rather)\b|不|勿|别|禁", re.IGNORECASE)

Values = Mapping[str, tuple[Assignment, ...]]


def look(skill: Skill) -> Iterator[Hit]:
    known, growing = values(skill), growth(skill)
    for hole in holes(skill):
        hit = _of_expression(hole) or _of_variable(hole, known, growing)
        if hit is not None:
            yield hit
    for saying in sayings(skill, _STEMS, _SAID):
        if not _NOT.search(saying.text):
            yield Hit(
                file=saying.page.path, start=saying.start, end=saying.end, confidence="likely", severity="medium",
                subject=" ".join(saying.text.split())[:60],
                message="a whole text is to be put into a prompt, where its path would do",
            )  # fmt: skip


def _of_expression(hole: Hole) -> Hit | None:
    """A file is read in the prompt itself, or all of the state goes in."""
    expression = hole.place.expression
    read, state = _READ.match(expression), _STATE.search(expression)
    if read is None and _EACH.search(expression) and not _PART.search(expression):
        return _hit(hole, hole.name, f"the whole text of all {hole.name}", {})
    if read is not None and not _PART.search(expression):
        return _hit(hole, read["path"], f"the whole file {_shown(read['path'])}", {"path": read["path"]})
    return _hit(hole, state[1], f"the whole {state[1]}", {"state": state[1]}) if state else None


def _of_variable(hole: Hole, known: Values, growing: Values) -> Hit | None:
    """One that holds a file goes in as a whole, or all of it as JSON; the user's own words may."""
    if not hole.whole or _GOAL.search(hole.last) or hole.last in growing:
        return None
    source = _source(known.get(hole.name, ()))
    if source is not None:
        return _hit(hole, hole.name, f"the whole file {_shown(source)}, which {hole.name} holds", {"path": source})
    if _DUMP.match(hole.place.expression):
        return _hit(hole, hole.name, f"all of {hole.name} as JSON", {}, sure=False)
    return None


def _source(assignments: tuple[Assignment, ...]) -> str | None:
    """The file whose whole text the variable holds, as it is written."""
    for one in assignments:
        found = _READ.match(one.value.strip())
        if found is not None and not _PART.search(one.value) and one.at.use in ("instruction", "prompt"):
            return found["path"]
    return None


def _hit(hole: Hole, subject: str, words: str, facts: dict[str, str], *, sure: bool = True) -> Hit:
    at = hole.place.at
    return Hit(
        file=at.file, start=at.start, end=at.end, subject=subject, phase=at.phase,
        message=f"the prompt takes in {words}",
        advice=
            "Give the agent the path and let it read what it needs, or put in only the fields that the order is "
            "about."
        ,
        facts={**facts, "expression": hole.place.expression}, confidence=None if sure else "likely",
        severity=None if sure else "medium",
    )  # fmt: skip


def _shown(path: str) -> str:
    return path.strip("`'\"")


DETECTOR = Detector(
    rule="content-in-prompt",
    dimension="context",
    severity="high",
    confidence="certain",
    strategy="structured_state",
    title="A whole file or state is put into a prompt",
    why="The agent pays for all of it at every call, and what it should look at is lost among what it does not need.",
    advice="Pass the path, or the fields that are needed.",
    look=look,
)
