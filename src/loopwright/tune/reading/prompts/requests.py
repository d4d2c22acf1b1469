"""What the user asked for: how it is named, where it is kept, and which prompts carry it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.model import Interpolation, Page, PageKind, Prompt, Skill

_STRONG = frozenset({
    "goal", "goals", "request", "requests", "requirement", "requirements", "objective", "objectives", "brief",
    "mission", "userrequest", "usergoal", "userinput", "userprompt", "userquery", "usertask", "arguments", "args",
    "intent", "需求", "目标", "要求", "原话", "诉求",
})  # fmt: skip
_WEAK = frozenset({
    "task", "tasks", "question", "questions", "query", "topic", "issue", "problem", "prompt", "story", "ticket",
    "assignment", "instruction", "instructions", "description", "change", "feature", "spec", "prd", "purpose",
    "idea", "words", "wish", "subject", "任务", "问题", "主题", "描述",
})  # fmt: skip
_NO_GOAL = frozenset({
    "id", "ids", "key", "file", "files", "path", "paths", "dir", "name", "names", "status", "state", "index",
    "count", "length", "type", "role", "agent", "number", "nr", "url", "slug", "at", "time", "max", "limit",
    "result", "results", "output", "summary", "log",
})  # fmt: skip
"""What the last step of a path is where it is something about the request and not the request."""
_TEXTS = (
    _STRONG | _WEAK | frozenset(["text", "words", "content", "raw", "original", "message", "title", "value", "summary"])
)
"""The last step of a longer path where that is words: `request.change`, and not `request.timeout`."""
_STEP = re.compile(r"[A-Za-z_\u4e00-\u9fff$][\w$\u4e00-\u9fff]*")
_HUMP = re.compile(r"[A-Z]{1,60}(?![a-z])|[A-Z]?[a-z]+|[\u4e00-\u9fff]+")
SAYS_GOAL = re.compile(
    r"\b(?:goals?|objectives?|requirements?|requests?(?:ed)?|brief|mission|intent|user'?s? (?:asked|wants|said"
    r"|words|task|question|input)|asked|wants?|(?:planned|wanted) change|(?<!general-)purpose|original (?:task|ask))\b"
    r"|目标|需求|要求|原话|诉求|想要|请求|意图|任务背景",
    re.IGNORECASE,
)
USER_WORDS = re.compile(
    r"\busers?'?s? (?:own |original |exact |full |whole )*(?:words?|message|request|requirements?|goals?|input"
    r"|prompt|query|question|task|brief|ask)\b"
    r"|\boriginal (?:request|task|prompt|message|question|requirements?|goal|brief|words)\b|\bverbatim\b"
    r"|\bwhat (?:the )?users? (?:typed|asked|wants?|said|wrote|needs?)\b|\$ARGUMENTS"
    r"|用户(?:的)?(?:原话|原始|需求|请求|要求|输入|目标|诉求|提问|问题|任务|描述)|原话|原始(?:需求|请求|任务)|逐字",
    re.IGNORECASE,
)
"""Words for what the user said or wants."""
_REQUEST_FILE = re.compile(
    r"(?:^|[/_\-.])(?:request|requirements?|brief|goals?|objectives?|task|mission|prd|user[-_]?(?:request|input"
    r"|goal)|prompt|issue|ticket|question|intent|需求|目标|任务)(?:[-_][\w-]{1,60})?\.(?:json|md|txt|ya?ml)",
    re.IGNORECASE,
)
_MADE_OF_IT = re.compile(
    r"[-_](?:anal\w{1,8}|plans?|lists?|results?|reports?|graphs?|index|status|queue|map|schema|templates?"
    r"|breakdown|log|outputs?|summary|tracker|tree|groups?|batch(?:es)?|分析|计划|列表|结果|报告)\.\w{1,5}$",
    re.IGNORECASE,
)
"""`task-analysis.json`: what a step has made of the request is not the request."""

_READS = re.compile(r"\b(?:read|reads|see|open|load|find|found|look)\b|读|看|见|打开|取", re.IGNORECASE)
_FILE = re.compile(r"\.(?:json|md|txt|ya?ml|toml)\b")
_PATH = re.compile(r"(?<![\w./-])[\w./-]{1,120}\.(?:json|md|txt|ya?ml|toml)\b")
_INSIDE = re.compile(r"(?:[\w.]{1,40}\()?([A-Za-z_]\w{0,60})(?:[,)][^\n]{0,40})?")


@lru_cache(maxsize=8192)
def strength(expression: str) -> int:
    """2: it is the user's goal by its name; 1: it may be; 0: it is something else."""
    steps = _STEP.findall(expression.split("(", 1)[0] or expression)
    if not steps or steps[-1].lower() in _NO_GOAL:
        return 0
    last = _words(steps[-1])
    if not last or last[-1] in _NO_GOAL or (len(steps) > 1 and not _TEXTS.intersection(last)):
        return 0
    words = {word for step in steps for word in _words(step)}
    return 2 if words & _STRONG else 1 if words & _WEAK else 0


def _words(step: str) -> list[str]:
    """`userRequest` is user, request, and as a whole userrequest."""
    return [step.lower().replace("_", ""), *(word.lower() for word in _HUMP.findall(step))]


def is_goal(page: Page, hole: Interpolation) -> bool:
    """By its name, or by what the line says before it: 目标 before a path is where something is put."""
    line = page.text[page.text.rfind("\n", 0, hole.at.start) + 1 : hole.at.start].rstrip("${<")
    if strength(hole.expression) == 2:
        return True
    return "${" not in line[-60:] and _labels(line) and _plain(hole.expression, bool(USER_WORDS.search(line)))


def _labels(line: str) -> bool:
    """What stands before it in its line says that it is what the user wants."""
    return bool(SAYS_GOAL.search(line[-60:])) and line.rstrip(" \"'“「`").endswith(
        (":", "：", "is", "为", "是", "-", "—")
    )


def _plain(expression: str, told: bool) -> bool:
    """`told`: the line speaks of the user, so that it may be a file that holds the words."""
    last = _STEP.findall(expression)
    if not last or last[-1].lower() in _NO_GOAL or "(" in expression:
        return False
    return told or _words(last[-1])[-1] not in _NO_GOAL


def goals_of(skill: Skill, prompt: Prompt) -> tuple[Interpolation, ...]:
    """What in the prompt stands for the user's goal."""
    page = skill.pages[prompt.at.file]
    return tuple(hole for hole in prompt.interpolations if is_goal(page, hole))


def may_carry(skill: Skill, prompt: Prompt, stores: frozenset[str] = frozenset()) -> bool:
    """The prompt may tell the goal in some manner: a file that holds it, a value that may be it."""
    page = skill.pages[prompt.at.file]
    text = page.text[prompt.at.start : prompt.at.end]
    if _REQUEST_FILE.search(text) or any(name in text for name in stores) or _points(text):
        return True
    if any(strength(hole.expression) >= 1 for hole in prompt.interpolations):
        return True
    return any(role.kind == "role" and path in text and _points(role.text) for path, role in skill.pages.items())


def _points(text: str) -> bool:
    """It says which file to read for the user's words: “first read `request` in session.json: what the user asked”."""
    return any(
        USER_WORDS.search(line) is not None and _READS.search(line) is not None and _FILE.search(line) is not None
        for line in text.splitlines()
    )


def hands_over(skill: Skill, prompt: Prompt, told: frozenset[str]) -> bool:
    """What others are told as `session.request` comes with something else: all of `session`, a text that was put
    together before, the field's name beside its file.
    """
    page = skill.pages[prompt.at.file]
    text = page.text[prompt.at.start : prompt.at.end]
    steps = [expression.split(".") for expression in told if "." in expression]
    whole, fields = {one[0] for one in steps}, {one[-1] for one in steps if strength(one[-1])}
    texts = [one for one in skill.assignments if one.value.lstrip().startswith(("`", '"', "'", "["))]
    made = {one.name for one in texts if any(f"${{{expression}}}" in one.value for expression in told)}
    for hole in prompt.interpolations:
        inner = _INSIDE.fullmatch(hole.expression)
        if inner and inner[1] in whole | made:
            return True
    named = {field for field in fields if strength(field) == 2}
    return any(
        named.intersection(_STEP.findall(_PATH.sub(" ", line))) or any(f"`{field}`" in line for field in fields)
        for line in text.splitlines()
        if _FILE.search(line)
    )


@dataclass(frozen=True, slots=True)
class Store:
    """Where the user's words are kept: a file of the run, or a field (then `name` is its path)."""

    name: str
    file: str
    start: int
    end: int


_TICKED = re.compile(r"`[^`\n]{0,60}?([\w-]{2,40}\.(?:md|txt|json|ya?ml))`")
_SENTENCE = re.compile(r"[^.。;；\n]*(?:\.(?=\w)[^.。;；\n]*)*")
_NO_STORE: frozenset[PageKind] = frozenset({"template", "reference", "script", "data", "other"})


def file_stores(skill: Skill) -> tuple[Store, ...]:
    """Files of the run that are said to hold what the user asked for, and nothing else: 用户原话在 `brief.md`."""
    own = {path.rsplit("/", 1)[-1] for path in skill.files}
    found: dict[str, Store] = {}
    for page in skill.pages.values():
        for block in page.blocks if page.kind not in _NO_STORE else ():
            if (
                block.use != "instruction"
                or block.kind not in ("item", "paragraph")
                or not USER_WORDS.search(block.text)
            ):
                continue
            for name, start in _named(block.text):
                found.setdefault(name, Store(name, page.path, block.body + start, block.end))
    return tuple(store for name, store in found.items() if name not in own)


def _named(text: str) -> Iterator[tuple[str, int]]:
    for sentence in _SENTENCE.finditer(text):
        names = list(_TICKED.finditer(sentence[0]))
        if len(names) == 1 and USER_WORDS.search(sentence[0]):
            name = names[0][1]
            if name.endswith((".md", ".txt")) or _REQUEST_FILE.search(name):
                yield name, sentence.start() + names[0].start()


def is_request_file(name: str) -> bool:
    """`request.json`, `brief.md`: a file of that name holds what the user asked for."""
    return _REQUEST_FILE.search(name) is not None and _MADE_OF_IT.search(name) is None
