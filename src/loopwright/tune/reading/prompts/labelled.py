"""Tasks that are given in one form, `PURPOSE: … TASK: … CONSTRAINTS: …`, and the label that one of them lacks."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Page, PageKind, Skill
from loopwright.tune.skill.once import once

_WORKED: frozenset[PageKind] = frozenset({"phase", "action", "role", "skill", "other", "spec"})
_STARTS = re.compile(
    r"(?<![\w.])(?P<tool>TaskCreate|Task|Agent|spawn_agent|send_input|SendMessage|ccw cli|delegate_to_agent)[ (]"
)
_LABEL = re.compile(
    r"^[ \t]*(?:\w{1,20}[ \t]*:[ \t]*)?[\"'`]{0,3}(?:[-*][ \t]+)?(?:\*\*|#{1,4}[ \t]+)?"
    r"(?P<label>[A-Z][A-Z_ ]{2,24}|[A-Z][a-z]{2,20}(?: [A-Za-z]{2,20}){0,2}|[\u4e00-\u9fff]{2,8})(?:\*\*)?[ \t]*[:：]",
    re.MULTILINE,
)
_RULES = re.compile(
    r"(?:constraints?|rules|boundar\w+|limits|guard-?rails|must not|forbidden|scope|约束|规则|边界|限制|禁止|范围)\Z",
    re.I,
)
_GOALS = re.compile(r"(?:requirements?|goal|objective|user (?:request|task|input)|request|需求|目标|任务要求)\Z", re.I)
_STATE = re.compile(
    r"(?:session(?: folder| path)?|state(?: file)?|context|run (?:folder|dir)|会话|状态|上下文)\Z", re.I
)
KNOWN = {"rules": _RULES, "goal": _GOALS, "state": _STATE}
ENOUGH, SHARED, MOST = 3, 3, 0.75
"""Texts that have the label; labels that a text shares with each of them; the share of the texts that have it."""


@dataclass(frozen=True, slots=True)
class _Text:
    page: Page
    start: int
    end: int
    tool: str
    labels: tuple[tuple[str, int], ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.labels)


@dataclass(frozen=True, slots=True)
class Lacking:
    """`what`: rules, goal or state. `line`: the label's line in the text at `model`; `after`: where it belongs."""

    page: Page
    start: int
    end: int
    what: str
    label: str
    having: int
    model: str
    line: str
    after: int


def label_names(text: str) -> frozenset[str]:
    return frozenset(" ".join(one["label"].split()) for one in _LABEL.finditer(text))


def lacking(skill: Skill) -> Iterator[Lacking]:
    texts = [text for page in skill.pages.values() for text in _texts(page)]
    for tool in dict.fromkeys(text.tool for text in texts):
        of_tool = [text for text in texts if text.tool == tool]
        counts = Counter(name for text in of_tool for name in text.names)
        for label, count in counts.items() if len(of_tool) > ENOUGH else ():
            what = next((what for what, pattern in KNOWN.items() if pattern.match(label)), None)
            if what is not None and ENOUGH <= count < len(of_tool):
                yield from _of_label(of_tool, label, what)


def _of_label(texts: list[_Text], label: str, what: str) -> Iterator[Lacking]:
    having = [text for text in texts if label in text.names]
    common = frozenset.intersection(*(text.names for text in having)) - {label}
    if len(common) < SHARED:
        return
    like = [
        text for text in texts if label not in text.names and len(common & text.names) >= max(SHARED, 0.8 * len(common))
    ]
    if not like or len(having) < MOST * (len(having) + len(like)):
        return
    for text in like:
        if what == "rules" and any(_RULES.match(name) for name in text.names):
            continue
        model = min(having, key=lambda one: (one.page is not text.page, abs(one.start - text.start)))
        yield _lack(text, model, label, what, len(having))


def _lack(text: _Text, model: _Text, label: str, what: str, having: int) -> Lacking:
    order = [name for name, _ in model.labels]
    places = dict(model.labels)
    source = model.page.text
    begin, stop = source.rfind("\n", 0, places[label]) + 1, source.find("\n", places[label])
    following = [name for name in order[order.index(label) + 1 :] if name in text.names]
    after = _line_before(text, dict(text.labels)[following[0]]) if following else -1
    if after < 0:
        before = [name for name in order[: order.index(label)] if name in text.names]
        after = _line_end(text.page.text, dict(text.labels)[before[-1]]) if before else -1
    return Lacking(
        text.page, text.start, text.end, what, label, having,
        f"{model.page.path}:{source.count(chr(10), 0, places[label]) + 1}", source[begin:stop], after,
    )  # fmt: skip


def _line_end(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return stop if stop >= 0 else len(text)


def _line_before(text: _Text, at: int) -> int:
    """The end of the line before the one of that place, within the text."""
    begin = text.page.text.rfind("\n", 0, at)
    return begin if begin > text.start else -1


@once
def _texts(page: Page) -> Iterator[_Text]:
    if page.kind not in _WORKED or "```" not in page.text or not _STARTS.search(page.text):
        return
    for block in page.blocks:
        if block.kind != "code" or block.use in ("negative", "quotation"):
            continue
        starts = [*_STARTS.finditer(page.text, block.body, block.end)]
        for number, found in enumerate(starts):
            stop = starts[number + 1].start() if number + 1 < len(starts) else block.end
            labels = {
                " ".join(one["label"].split()): one.start("label")
                for one in _LABEL.finditer(page.text, found.end(), stop)
            }
            if len(labels) >= SHARED:
                yield _Text(page, found.start(), stop, found["tool"], tuple(labels.items()))
