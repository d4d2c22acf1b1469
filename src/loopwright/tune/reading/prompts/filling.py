"""What the holes of prompts are filled with, by their names and labels, and by the commands that stand in them."""

import re
from collections.abc import Iterator
from dataclasses import replace

from loopwright.tune.reading.prompts.answers import is_of_answer, label_above
from loopwright.tune.reading.prompts.feeding import BOUND, NEGATED, OWN_WORDS, THING, Fed, 物
from loopwright.tune.reading.prompts.holes import Hole, holes
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.sayings import MEANT, SKIPPED
from loopwright.tune.skill.model import At, Interpolation, Prompt, Skill
from loopwright.tune.skill.once import once

_ALL_PAST = re.compile(
    r"\b(?:all|every|full|entire|whole|complete|everything)\b.{0,40}\b(?:previous|prior|earlier|past|history"
    r"|transcript|conversation"
    r"|so far|tried|attempts|rounds|iterations|discussion|messages|chat|log|until now)\b"
    r"|\b(?:previous|prior|earlier|past)\b.{0,30}\b(?:all|every|each|full)\b"
    r"|\b(?:accumulated|cumulative|running|combined)\b.{0,20}\b(?:notes?|logs?|outputs?|results?|findings|context"
    r"|feedback|history)\b"
    r"|\b(?:conversation|chat|message|attempt|review|iteration|round|dialogue) history\b|\bhistory so far\b"
    r"|\b\w*(?:history|logs?|transcript|messages)\b.{0,20}\b(?:all|every|complete|full|whole) (?:entries|entry|messages"
    r"|records|items|turns|of it|of them)\b"
    r"|(?:全部|所有|完整|历次|累积|累计).{0,10}(?:历史|记录|对话|往来|意见|结果|输出|轮)|(?:历史|之前|此前|前面"
    r"|历次).{0,12}(?:全部|所有|完整)|到目前为止",
    re.IGNORECASE,
)
_ALL_OF_IT = re.compile(
    rf"\b(?:full|entire|whole|complete|raw|all)\b(?: \w+){{0,3}}? {THING}"
    rf"|\b{THING} \(?(?:in full|complete|full|entire|verbatim|unabridged)\b|\b\w+ dump\b"
    r"|\b(?:files?|docs?|documents?|specs?|plans?|diffs?|reports?|code|source|state|page|log|chapter"
    r"|module)s? (?:contents?|text|body|dump)\b"
    rf"|\b(?:contents?|text|body|source) of\b|全文|文件内容|(?:全部|完整|整个|所有).{{0,6}}{物}"
    rf"|{物}.{{0,4}}(?:全文|内容)",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:path|paths|file|files|dir|folder|name|names|id|ids|url|link|summary|excerpt|slug|ref|location)\b"
)
_ALL_SAID = re.compile(
    r"(?:the |here is (?:the )?|full |complete |message |chat |conversation )*(?:history|transcript|conversation"
    r"|dialogue)(?: (?:so far|until now|up to now))?"
    r"|(?:everything|what) (?:that )?(?:\w+ ){0,5}(?:so far|up to now|until now|before)"
    r"|(?:previous|prior|earlier|past) (?:rounds|iterations|answers|attempts|messages|findings|reviews|outputs"
    r"|results|responses)"
    r"|历史|历史记录|对话历史|此前对话|之前的(?:对话|结果|意见)"
)
_LONG = re.compile(
    r"(?:(?:here is |this is )?(?:the )|your |changed |review |source |current |git |unified |file )*"
    r"(?:file|diff|patch|code|codebase|document|spec|specification|transcript|source|content|contents"
    r"|file contents?|full text|state|log|logs)"
    r"|文件|文件内容|代码|差异|全文|文档|日志|状态|原文"
)
_SHELL = re.compile(r"\$\(\s*(?:cat|git (?:diff|log|show)|<|type|Get-Content)\s*[^)\n]{0,80}\)")
_CUT = re.compile(r"\b(?:head|tail|wc|jq|grep|rg|sed)\b|-n ?\d|--(?:stat|name-only|oneline|max-count)")
"""A command that prints a part only."""
_SLOT = re.compile(r"[\[<{]([A-Za-z\u4e00-\u9fff][^\[\]{}\n]{6,160})[\]>}](?!\()")
_CALLED = re.compile(r"\bprompt['\"]?\s*[=:]\s*f?[\"'`]")
"""The text of an agent's prompt, in a call that is not known as one."""
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w{1,40})\b")
_ORDERS = re.compile(r"prompt|task|instruction|request|goal|question|<<", re.IGNORECASE)
"""Files that hold an order to the agent, which has to be read as a whole."""
_CLAUSE = re.compile(r"[.;。；}!?](?=[\s\S])")
_PLAIN = re.compile(r"[\s>#*_`\-–—|\d.]*\Z")

_PATHS = ("/", "\\", ".", "-", "_")
"""What goes on behind a hole that is a part of a path or name."""
_SLICED = re.compile(r"\.slice\(|\.at\(\s*-|\[-\d+:?\]|\.substr(?:ing)?\(")
"""The expression itself takes a part only."""


@once
def filled(skill: Skill) -> Iterator[tuple[Hole, Fed]]:
    """Holes of prompts whose names, or labels, say that all from before, or a whole text, is put in."""
    for hole in holes(skill):
        if _is_page(skill, hole.prompt) or _SLICED.search(hole.place.expression):
            continue
        text = skill.pages[hole.prompt.at.file].text
        label = _label(text, hole)
        said = f"{label} {' '.join(words_of(hole.place.expression))} {hole.place.expression}"
        kind = (
            None
            if NEGATED.search(label)
            else _kind(said) or _of_label(label, hole, text[hole.place.at.end :][1:2] in _PATHS)
        )
        if kind:
            yield hole, kind
    yield from _slots(skill)


def _is_page(skill: Skill, prompt: Prompt) -> bool:
    """The page of a role: its braces are mostly what the role is to fill in."""
    page = skill.pages[prompt.at.file]
    return prompt.call < 0 and page.kind == "role" and prompt.at.end >= len(page.text.rstrip())


def _slots(skill: Skill) -> Iterator[tuple[Hole, Fed]]:
    """What stands in brackets in a prompt and is too long for a name: `[complete output of git diff]`."""
    for prompt in skill.prompts:
        if prompt.at.use not in MEANT or _is_page(skill, prompt) or not any(mark in prompt.text for mark in "[<{"):
            continue
        yield from _in_slots(skill, prompt)
    for page in skill.pages.values():
        if page.kind in SKIPPED or "prompt" not in page.text:
            continue
        for block in page.blocks:
            if block.kind == "code" and block.use not in ("negative", "reference") and _CALLED.search(block.text):
                at = At(page.path, block.body, block.body + len(block.text), block.line + 1, "prompt")
                if not any(p.at.file == at.file and p.at.start < at.end and at.start < p.at.end for p in skill.prompts):
                    yield from _in_slots(skill, Prompt(at, block.text))


def _in_slots(skill: Skill, prompt: Prompt) -> Iterator[tuple[Hole, Fed]]:
    taken = {place.at.start for place in prompt.interpolations}
    text = skill.pages[prompt.at.file].text
    for found in _SLOT.finditer(text, prompt.at.start, prompt.at.end):
        kind = _kind(found[1])
        if kind and found.start() not in taken and not _is_asked(text, prompt, found.start()):
            yield Hole(prompt, Interpolation(found[1], _inside(skill, prompt, found)), "", whole=False), kind


def _is_asked(text: str, prompt: Prompt, at: int) -> bool:
    """It is what the agent is to answer, not what it is given."""
    return is_of_answer(label_above(text, prompt.at.start, at) or "")


def _inside(skill: Skill, prompt: Prompt, found: re.Match[str]) -> At:
    line = prompt.at.line + skill.pages[prompt.at.file].text.count("\n", prompt.at.start, found.start())
    return replace(prompt.at, start=found.start(), end=found.end(), line=line)


def _of_label(label: str, hole: Hole, follows: bool) -> Fed | None:
    """A label that is nothing but the name of a long text, and a hole that is no path to it, nor begins one."""
    bare = label.strip(" \t#>*_`:：<-").lower()
    if _POINTER.search(" ".join(words_of(hole.place.expression))) or BOUND.search(label) or follows:
        return None
    if _ALL_SAID.fullmatch(bare):
        return "past"
    return "content" if _LONG.fullmatch(bare) else None


def _kind(said: str) -> Fed | None:
    if BOUND.search(said) or OWN_WORDS.search(said):
        return None
    return "past" if _ALL_PAST.search(said) else "content" if _ALL_OF_IT.search(said) else None


def shelled(skill: Skill) -> Iterator[tuple[At, str]]:
    """Commands whose whole output stands in a prompt, beside other words: `"Review this: $(cat app.py)"`."""
    for prompt in skill.prompts:
        if prompt.call < 0 or prompt.at.use not in MEANT or "$(" not in prompt.text:
            continue
        text = skill.pages[prompt.at.file].text
        for found in _SHELL.finditer(text, prompt.at.start, prompt.at.end):
            alone = not (text[prompt.at.start : found.start()] + text[found.end() : prompt.at.end]).strip("\"' \t\n")
            if not alone and not _ORDERS.search(found[0]) and not _CUT.search(found[0]):
                yield _inside(skill, prompt, found), found[0]


def grown(skill: Skill) -> Iterator[tuple[At, str]]:
    """Variables of a shell that stand in a prompt and take in more in each round: `P="$P …"`."""
    for prompt in skill.prompts:
        if prompt.call < 0 or prompt.at.use not in MEANT or "$" not in prompt.text:
            continue
        text = skill.pages[prompt.at.file].text
        for found in _VARIABLE.finditer(text, prompt.at.start, prompt.at.end):
            name = re.escape(found[1])
            if re.search(rf"(?<![\w$]){name}(?:\+=|=[\"']?\$\{{?{name}\b)", text):
                yield _inside(skill, prompt, found), found[1]


def _label(text: str, hole: Hole) -> str:
    """What stands before the hole in its line, or the line above where that leads up to it."""
    at = hole.place.at.start
    floor = max(hole.prompt.at.start, at - 300)
    start = text.rfind("\n", floor, at) + 1 or floor
    before = text[start:at].rstrip("${<[ ")
    if not _PLAIN.fullmatch(before):
        return _CLAUSE.split(before)[-1] if before.rstrip(" `\"'(").endswith((":", "：", "=")) else ""
    above = text[floor : max(floor, start - 1)].rstrip().rpartition("\n")[2].strip()
    return above[-120:] if above.endswith((":", "：", "**", "】", ">")) or above.startswith("#") else ""
