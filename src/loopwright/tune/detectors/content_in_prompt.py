"""A prompt takes in a whole file or the whole state, where a path or a few fields would do."""

import re
from collections.abc import Iterator, Mapping

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.feeding import fed
from loopwright.tune.reading.prompts.filling import filled, shelled
from loopwright.tune.reading.prompts.holes import Hole, growth, holes, values
from loopwright.tune.skill.model import Assignment, Skill

_READ = re.compile(
    r"(?:await\s++)?(?:JSON\.parse\(\s*+)?(?:fs\.)?(?:[Rr]ead|read_file|readFileSync|readFile|read_text"
    r"|cat)\(\s*+(?P<path>[^()]{1,120}?)\s{0,20}[,)]"
)
_STATE = re.compile(
    r"JSON\.stringify\(\s*(?:\w+\.)?(state|session|context|memory|sessionState|loopState|currentState)\s*[,)]"
)
_EACH = re.compile(r"\b(?:Read|read_file|readFileSync|readFile|readText|read_text)\(\s*\w+(?:\.\w+)*\s*\)")
_DUMP = re.compile(r"JSON\.stringify\(")
_FOR_EACH = re.compile(r"\.(?:flatMap|map)\(\s{0,8}(?:async\s{1,8})?\(?\s{0,8}(?P<one>[A-Za-z_]\w{0,40})\b")
_FIELD = re.compile(r"(?<![\w.])(?P<one>\w{1,40})(?:\.\w{1,40})*\.(?P<field>\w{1,40})(?![\w.(])")
_TEXT = re.compile(
    r"(?:full|raw)(?:_?\w{1,30})?|\w{0,30}(?:outputs?|contents?|transcripts?|responses?|bod(?:y|ies)|reports?|logs?)",
    re.IGNORECASE,
)
"""Fields that hold a whole text."""
_OUTPUT = re.compile(r"\b(?:Read|read_file|readFileSync|readFile|Bash|execSync)\(\s{0,4}[^()\n]{0,60}")
_SMALL = re.compile(
    r"\beach (?:object|item|entry|one)\b|\bbrief\b|\bminimal\b|\bonly (?:id|the)|每[个条项][:：只仅]|精简|摘要",
    re.IGNORECASE,
)
"""What is put in is little, by its description."""
_STATES = re.compile(r"(?:state|session|skill_?state|plan|store)\.(?:\w{1,60}\.){0,4}\w{1,60}s\Z", re.IGNORECASE)
"""A list that the state keeps."""
_GOAL = re.compile(
    r"request|task|goal|requirement|question|query|brief|args|argument|prompt|user|description|topic|message"
    r"|issue|title|需求|目标",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\.(?:slice|substring|substr|head|tail)\(|\.split\(|summary|\blimit\b|\boffset\b|,\s*\d+\s*\)", re.IGNORECASE
)
_FEW = re.compile(
    r"summar|brief|excerpt|\blimit\b|\boffset\b|--(?:stat|name-only|oneline|short)|\bhead\b|\bwc\b|\bjq\b",
    re.IGNORECASE,
)
"""The files are short, or are read in part; that only some of the paths are taken makes none of them shorter."""
Values = Mapping[str, tuple[Assignment, ...]]


def look(skill: Skill) -> Iterator[Hit]:
    known, growing = values(skill), growth(skill)
    seen: set[int] = set()
    for hole in holes(skill):
        hit = _of_expression(hole) or _of_variable(hole, known, growing)
        if hit is not None:
            seen.add(hit.start)
            yield hit
    for hole, kind in filled(skill):
        if kind == "content" and hole.place.at.start not in seen and hole.last not in growing:
            yield _hit(hole, hole.place.expression[:60], f"a whole text ({hole.place.expression[:60]})", {}, sure=False)
    for at, command in shelled(skill):
        yield Hit(
            file=at.file, start=at.start, end=at.end, subject=command, phase=at.phase,
            message=f"the prompt takes in all that {command} prints",
        )  # fmt: skip
    for saying, kind in fed(skill):
        if kind == "content":
            yield Hit(
                file=saying.page.path, start=saying.start, end=saying.end, confidence="likely", severity="medium",
                subject=" ".join(saying.text.split())[:60],
                message="a whole text is to be put into a prompt, where its path would do",
            )  # fmt: skip


def _of_expression(hole: Hole) -> Hit | None:
    """A file is read in the prompt itself, or all of the state goes in."""
    expression = hole.place.expression
    read, state = _READ.match(expression), _STATE.search(expression)
    each = _EACH.search(expression)
    if read is None and each and not _PART.search(expression, each.end()) and not _FEW.search(expression):
        return _hit(hole, hole.name, f"the whole text of all {hole.name}", {})
    if read is not None and not _PART.search(expression):
        return _hit(hole, read["path"], f"the whole file {_shown(read['path'])}", {"path": read["path"]})
    if state is not None:
        return _hit(hole, state[1], f"the whole {state[1]}", {"state": state[1]})
    if _is_of_texts(expression) and not _PART.search(expression) and not _FEW.search(expression):
        return _hit(hole, hole.name, f"the texts of all {hole.name}", {}, sure=False)
    return None


def _is_of_texts(expression: str) -> bool:
    """Of each of many its text: `results.map(r => r.output)`."""
    each = _FOR_EACH.search(expression)
    fields = _FIELD.finditer(expression, each.end(), each.end() + 200) if each else ()
    return any(each and one["one"] == each["one"] and _TEXT.fullmatch(one["field"]) for one in fields)


def _of_variable(hole: Hole, known: Values, growing: Values) -> Hit | None:
    """One that holds a file goes in as a whole, or all of it as JSON; the user's own words may."""
    gathered = _gathered(known.get(hole.name, ())) if hole.whole else None
    if gathered is not None:
        return _hit(hole, hole.name, f"{gathered}, as {hole.name}", {}, sure=False)
    listed = _DUMP.match(hole.place.expression) and _STATES.match(hole.name)
    if not hole.whole or (_GOAL.search(hole.last) and not listed) or hole.last in growing:
        return None
    source = _source(known.get(hole.name, ()))
    if source is not None:
        return _hit(hole, hole.name, f"the whole file {_shown(source)}, which {hole.name} holds", {"path": source})
    if _DUMP.match(hole.place.expression) and not _is_small(hole):
        return _hit(hole, hole.name, f"all of {hole.name} as JSON", {}, sure=False)
    return None


def _is_small(hole: Hole) -> bool:
    """The line, or the next, says which few fields each has."""
    after = hole.place.at.end - hole.prompt.at.start
    return _SMALL.search(hole.prompt.text, max(0, after - 160), after + 160) is not None


def _gathered(assignments: tuple[Assignment, ...]) -> str | None:
    """What the variable holds of each of many, in words: its text, or all that a command prints of it."""
    for one in assignments:
        each = _FOR_EACH.search(one.value)
        if _is_of_texts(one.value) and not _PART.search(one.value) and not _FEW.search(one.value):
            return "the whole text of each of many"
        found = _OUTPUT.search(one.value, each.end()) if each and one.at.use in ("instruction", "prompt") else None
        if found is not None and not _PART.search(one.value, found.end()) and not _FEW.search(one.value, found.end()):
            command = " ".join(found[0].split()).strip("`'\"( ")
            return f"all that {command} gives for each of many"
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
