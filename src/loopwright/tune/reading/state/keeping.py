"""What a run writes down of itself: objects and lists that hold how far it is, and not what it is for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.spots import spotted
from loopwright.tune.skill.model import Block, Page, Skill

_KEY = re.compile(r"^(?P<indent>[ \t]*)\"(?P<name>[A-Za-z_]\w*)\"\s*:", re.MULTILINE)
_FAR = re.compile(
    r"(?:current_?)?(?:status|phase|stage|state|iteration|cycle|step|progress|round)|active|completed_\w+|started_?at",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"goal|task|request|objective|question|query|prompt|brief|intent|topic|idea|description|mission|title"
    r"|subject|problem"
    r"|spec|requirement|input|target|plan|story|name|file|url|message|command|question",
    re.IGNORECASE,
)
_HOLE = re.compile(
    r"\{\{\s*(?:GOAL|TASK|REQUEST|QUESTION|PROMPT|OBJECTIVE|QUERY|BRIEF|TOPIC)\s*\}\}"
    r"|<(?:(?:original|user|research|the)[ _-])*(?:goal|task|request|question|objective"
    r"|brief)(?:[ _-](?:description|statement))?>"
    r"|\{(?:original_|user_)?(?:goal|task|request|question|objective|brief)\}",
    re.IGNORECASE,
)
_HOLES = dict.fromkeys(("goal", "task", "request", "question", "prompt", "objective", "query", "brief", "topic"), _HOLE)
_HOLDS = re.compile(
    r"`[^`\n]*(?:context|snapshot|brief|hand-?off|intake)[^`\n]*`[^\n]{0,80}\b(?:with|contain\w*|includ\w*"
    r"|hold\w*)\W*\Z"
    r"|(?:简报|快照|立项|交接)[^。\n]{0,30}(?:包含|写入|内容|写明)\W*\Z",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:goals?|tasks?|requests?|objectives?|(?<!open )questions?|outcomes?|problem|topic|query|title"
    r"|ideas?|intent\w*|what"
    r"|why|mission|purpose|brief|scope|feature|story|prompt|ask|summary|description|trying|target|change"
    r"|issue|job|user)\b"
    r"|目标|任务|需求|问题|主题|请求|目的|标题|要求|原话",
    re.IGNORECASE,
)
KEYS, ITEMS, MOST = 4, 3, 12
"""Keys of an object and entries of a list that make it one of the run's; so many entries are looked at."""


@dataclass(frozen=True, slots=True)
class Aimless:
    """What is kept at `start` to `end` says nothing of what the user wants. `wanted`: who needs it."""

    page: Page
    start: int
    end: int
    said: str
    wanted: str
    entry_at: int
    entry: str
    """What would say it, and where that fits."""


def aimless(skill: Skill) -> Iterator[Aimless]:
    for page in skill.pages.values():
        if page.kind not in ("script", "reference", "data"):
            yield from _objects(skill, page)
            yield from _listed(page)


def _objects(skill: Skill, page: Page) -> Iterator[Aimless]:
    """The state as JSON without the goal, where a template or prompt has a place for it."""
    for block in page.blocks:
        if block.kind != "code" or block.use == "negative" or '":' not in block.text:
            continue
        keys = _outer(block.text)
        if len(keys) < KEYS or not any(_FAR.fullmatch(key) for key in keys) or any(_ABOUT.search(key) for key in keys):
            continue
        hole = next((found[0] for other in skill.pages.values() for found in spotted(other.text, _HOLES)), None)
        if hole is not None:
            first = next(_KEY.finditer(block.text))
            entry = f'{first["indent"]}"request": "what the user asked for, word for word",\n'
            yield Aimless(
                page, block.body, _line_end(page.text, block.body), ", ".join(keys[:4]) + " …", hole,
                block.body + first.start(), entry,
            )  # fmt: skip
            return


def _outer(text: str) -> list[str]:
    """Keys of the outermost object that has several."""
    found = [(len(key["indent"]), key["name"]) for key in _KEY.finditer(text)]
    least = min((indent for indent, _ in found), default=0)
    return [name for indent, name in found if indent == least]


def _listed(page: Page) -> Iterator[Aimless]:
    """Create `context/{slug}.md` with: facts, constraints, unknowns."""
    for index, block in enumerate(page.blocks):
        end = block.text.rstrip()
        if block.kind not in ("paragraph", "item") or not end.endswith((":", "：")) or not _HOLDS.search(end[-200:]):
            continue
        items: list[Block] = []
        for other in page.blocks[index + 1 : index + 2 + MOST]:
            if other.kind != "item" or (items and other.level != items[0].level):
                break
            items.append(other)
        if len(items) >= ITEMS and not any(_WISH.search(item.text) for item in items):
            names = ", ".join(" ".join(item.text.split()[:4]) for item in items[:3])
            line = page.text.rfind("\n", 0, items[0].start) + 1
            words = "用户要什么（原话）" if page.language == "zh" else "what the user asked for, word for word"
            entry = f"{page.text[line : items[0].body]}{words}\n"
            yield Aimless(page, block.start, block.end, names + " …", "", line, entry)


def _line_end(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return stop if stop >= 0 else len(text)
