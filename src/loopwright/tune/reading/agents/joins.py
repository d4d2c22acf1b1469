"""How the agents that a page starts are joined again: by a call that waits, or by words that say so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import Act, acts, block_of
from loopwright.tune.skill.model import Assignment, Call, Page, Prompt, Repeat, Skill

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_WAITS = re.compile(
    r"\bwait(?:s|ed|ing)?\b|\bblocks? until\b|\buntil (?:it|they|all|each|every|both)\b|\b(?:once|when|after) (?:it"
    r"|they|all|each|every|both|the)\b[^.\n]{0,40}"
    r"\b(?:finish\w*|complet\w*|return\w*|done|report\w*|end\w*|come|came|back|answer\w*)\b|\bcallbacks?\b|\bnotif\w+"
    r"|\bmailbox\b|\bjoin(?:s|ed)?\b|\bpoll\w*"
    r"|\bcollect(?:s|ed|ing)? (?:them|all|each|every|both|(?:the|their) (?:results?|answers?|outputs?))\b"
    r"|\bfire[- ]and[- ]forget\b|\bin the background\b|(?-i:\bSTOP\b)|\bend (?:the|your|this) turn\b"
    r"|等待|等到|等(?:它|他|全部|所有)|(?:完成|返回|结束|回来|回报)(?:后|之后|时|再)|回调|通知|轮询|后台",
    re.IGNORECASE,
)

_FUNCTION = re.compile(r"(?:async\s+)?(?:function\b|def\b|(?:\([^()]{0,200}\)|\w+)\s*=>)")

FEWEST = 3
"""Calls of a function that starts agents, all but one of which are followed by one that waits."""

_COLLECTORS = frozenset({"TaskOutput", "AgentOutputTool", "AgentOutput"})

_OF_AGENTS = re.compile(
    r"agent|worker|task|spawn|dispatch|parallel|background|reader|writer|review|they|them\b|\bwait\(|代理|子任务|任务|后台"
    r"|并行|派",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Spawn:
    """A call that starts agents whose host does not wait for them by itself. `joined`: something waits for them.

    `to`: the end of what may be said of it: the next such call, or the end of the page.
    """

    act: Act
    page: Page
    joined: bool
    to: int
    ended: Act | None = None
    """The call that ends them before anything has waited."""


def spawns(skill: Skill) -> tuple[Spawn, ...]:
    """Those that are written as a call in instructions and have to be waited for, page by page."""
    all_acts = acts(skill)
    found = []
    by_page: dict[str, list[Act]] = {}
    collects = _collects(skill, all_acts)
    for act in all_acts:
        if act.call.prompt < 0 and act.call.arguments and _has_to_be_joined(act, collects=collects):
            by_page.setdefault(act.call.at.file, []).append(act)
    for file, started in by_page.items():
        page = skill.pages[file]
        code = _code_of(skill, file)
        waits = [_wait(code, act) for act in all_acts if act.does == "wait" and act.call.at.file == file]
        stops = [act for act in all_acts if act.does == "stop" and act.call.at.file == file]
        for number, act in enumerate(started):
            to = started[number + 1].call.at.start if number + 1 < len(started) else len(page.text)
            names = _names(code, act)
            ended = next(
                (one for one in stops if act.call.at.end <= one.call.at.start < to and names & _said(one)), None
            )
            until = ended.call.at.start if ended else to
            if ended is None:
                joined = _is_joined(code, act, until, names, waits) or _is_told(skill, page, code, act, until)
            else:
                joined = _is_between(act, until, waits) or says_wait(skill, page, act.call.at.end, until)
            found.append(Spawn(act, page, joined, to, None if joined else ended))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Uncollected:
    """The call of a function that starts agents, behind which none follows of the one that waits for them.

    Behind every other such call one does, as at `model`.
    """

    page: Page
    call: Call
    model: Call


def uncollected(skill: Skill) -> Iterator[Uncollected]:
    all_acts = acts(skill)
    started: dict[str, dict[int, Call]] = {}
    collected: dict[str, dict[int, Call]] = {}
    codes: dict[str, _Code] = {}
    for act in all_acts:
        file = act.call.at.file
        known = started if act.does == "spawn" else collected if act.does == "wait" else None
        if known is not None and act.call.prompt < 0 and act.call.arguments:
            codes.setdefault(file, _code_of(skill, file))
            known.setdefault(file, {}).update((one.at.start, one) for one in codes[file].callers(act.call))
    for file, begun in started.items():
        page, ends = skill.pages[file], collected.get(file, {})
        starts = sorted(begun)
        if len(starts) < FEWEST:
            continue
        bounds = [*starts[1:], len(page.text)]
        taken = [_taken(start, bounds[n], ends) for n, start in enumerate(starts)]
        if taken.count(None) != 1:
            continue
        odd = taken.index(None)
        call, next_one = begun[starts[odd]], begun.get(bounds[odd])
        together = next_one is not None and block_of(page, call.at.start) is block_of(page, next_one.at.start)
        if not together and not says_wait(skill, page, call.at.end, bounds[odd]):
            yield Uncollected(page, call, next(ends[at] for at in taken if at is not None))


def _taken(start: int, to: int, ends: Mapping[int, Call]) -> int | None:
    """Where the next call waits, or the one around it: `collect(start(part))`."""
    return next((at for at in sorted(ends) if start < at < to or at < start < ends[at].at.end), None)


@dataclass(frozen=True, slots=True)
class _Code:
    """What a page's code sets, each with the words of its value; its functions, its loops, and its calls by name."""

    settings: tuple[tuple[Assignment, frozenset[str]], ...]
    functions: tuple[Assignment, ...]
    repeats: tuple[Repeat, ...]
    calls: Mapping[str, tuple[Call, ...]]

    def callers(self, call: Call) -> tuple[Call, ...]:
        """Where the function is called in which the call stands; what is defined below is called above."""
        around = [one for one in self.functions if one.at.start <= call.at.start < one.at.end]
        own = max(around, key=lambda one: one.at.start, default=None)
        if own is None:
            return ()
        return tuple(one for one in self.calls.get(own.name, ()) if not own.at.start <= one.at.start < own.at.end)


@dataclass(frozen=True, slots=True)
class _Wait:
    """Where one waits: at the call, and where the function is called that makes it. `names`: what is waited for."""

    places: tuple[tuple[int, int], ...]
    names: frozenset[str]


def _code_of(skill: Skill, file: str) -> _Code:
    own = [one for one in skill.assignments if one.at.file == file]
    calls: dict[str, list[Call]] = {}
    for call in skill.calls:
        if call.at.file == file and call.prompt < 0:
            calls.setdefault(call.name, []).append(call)
    return _Code(
        settings=tuple((one, frozenset(_WORD.findall(one.value))) for one in own),
        functions=tuple(one for one in own if _FUNCTION.match(one.value)),
        repeats=tuple(one for one in skill.repeats if one.at.file == file and one.over),
        calls={name: tuple(made) for name, made in calls.items()},
    )


def _wait(code: _Code, act: Act) -> _Wait:
    """It names what it is given, what its function is given, and the list whose loop it stands in."""
    at = act.call.at.start
    callers = code.callers(act.call)
    over = [one.over for one in code.repeats if one.over and one.at.start <= at < one.at.end]
    given = [one.value for call in callers for one in call.arguments]
    words = {word for text in (*over, *given) for word in _WORD.findall(text)}
    return _Wait(tuple((one.at.start, one.at.end) for one in (act.call, *callers)), frozenset(words | _said(act)))


def _has_to_be_joined(act: Act, *, collects: bool) -> bool:
    """Its host goes on at once: always, or because it is told to, in a skill that collects what ran so."""
    tool = act.known.tool
    if tool is None or act.does != "spawn":
        return False
    apart = act.call.argument(tool.background) if tool.background else None
    return bool(tool.joined_by) or (collects and apart is not None and apart.value.lower() == "true")


def _collects(skill: Skill, made: Sequence[Act]) -> bool:
    """The skill fetches what ran in the background by itself, and does not only wait to be told of its end."""
    return bool(skill.tools and _COLLECTORS & skill.tools) or any(act.known.name in _COLLECTORS for act in made)


def _names(code: _Code, act: Act) -> frozenset[str]:
    """The variables that hold the agents: the one that takes the result, and what that is put into."""
    names = set(_WORD.findall(act.call.target or ""))
    at, before = act.call.at.start, -1
    while len(names) > before:
        before = len(names)
        for one, words in code.settings:
            if names & words or one.at.start <= at < one.at.end:
                names.update(_WORD.findall(one.name))
    return frozenset(names - {"const", "let", "var"})


def _is_joined(code: _Code, act: Act, to: int, names: frozenset[str], waits: Sequence[_Wait]) -> bool:
    start = act.call.at.start
    first = min([start, *(call.at.start for call in code.callers(act.call))])
    for wait in waits:
        if any(start < at < to or at < start < end for at, end in wait.places):
            return True
        if max(wait.places)[0] > first and names & wait.names:
            return True
    return False


def _is_between(act: Act, to: int, waits: Sequence[_Wait]) -> bool:
    """Before they are ended: what waits for them behind that does nothing."""
    start = act.call.at.start
    return any(start < at < to or at < start < end for wait in waits for at, end in wait.places)


def _is_told(skill: Skill, page: Page, code: _Code, act: Act, to: int) -> bool:
    """In words behind the call, or behind one of the function that makes it."""
    at = act.call.at
    callers = [call.at.start for call in code.callers(act.call)]
    return says_wait(skill, page, at.end, to) or any(
        says_wait(skill, page, one, to if one > at.start else at.start) for one in callers
    )


def _said(act: Act) -> set[str]:
    return {word for one in act.call.arguments for word in _WORD.findall(one.value)}


def says_wait(skill: Skill, page: Page, start: int, end: int) -> bool:
    """Words of instructions in the stretch say that one waits, or need not."""
    return _WAITS.search(outside_of_prompts(skill, page, start, end)) is not None


def says_wait_for_agents(skill: Skill, page: Page) -> bool:
    """A line of the page says so of agents: what else is waited for, such as a lock, does not count."""
    text = outside_of_prompts(skill, page, page.front.end if page.front else 0, len(page.text))
    return any(_WAITS.search(line) and _OF_AGENTS.search(line) for line in text.splitlines())


def outside_of_prompts(skill: Skill, page: Page, start: int, end: int) -> str:
    """The text of the stretch without what agents are told in it."""
    inner: list[Prompt] = [
        one for one in skill.prompts if one.at.file == page.path and one.call >= 0 and start <= one.at.start < end
    ]
    pieces, at = [], start
    for one in sorted(inner, key=lambda prompt: prompt.at.start):
        if one.at.start >= at:
            pieces.append(page.text[at : one.at.start])
            at = one.at.end
    return " ".join([*pieces, page.text[at:end]])
