"""Reads the files of a skill into one graph."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import partial
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote

from loopwright.skills.files import MAIN, main_among
from loopwright.skills.reader.calls import parse_calls
from loopwright.skills.reader.enums import parse_enumerations, parse_settings
from loopwright.skills.reader.markdown import FrontMatter, Section
from loopwright.skills.reader.model import Call, FilePosition, Host, Mode, Phase, Reference, ReferenceKind, Skill
from loopwright.skills.reader.page import Page, read_page

_TOOLS: Mapping[str, Host] = {
    **dict.fromkeys(
        ("Task", "Agent", "AskUserQuestion", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskOutput", "TaskStop",
         "SendMessage", "TeamCreate", "TeamDelete", "EnterPlanMode", "ExitPlanMode", "WebFetch", "NotebookEdit"),
        "claude",
    ),
    **dict.fromkeys(
        ("spawn_agent", "wait_agent", "send_input", "close_agent", "resume_agent", "followup_task", "assign_task",
         "spawn_agents_on_csv", "request_user_input", "update_plan", "apply_patch", "exec_command"),
        "codex",
    ),
    **dict.fromkeys(("run_shell_command", "ask_user", "activate_skill", "read_many_files", "save_memory"), "gemini"),
}  # fmt: skip
_FOLDERS: Mapping[str, Host] = {".claude/": "claude", ".codex/": "codex", ".gemini/": "gemini"}
_KEYS: frozenset[str] = frozenset(
    {"allowed-tools", "argument-hint", "disable-model-invocation", "user-invocable", "context"}
)
"""Keys of front matter that only Claude Code reads."""
_TOOL = re.compile(r"[A-Za-z_*][\w.\-*]*(?:\([^()]*\))?")


def find_hosts(name: str, main: Page | None, calls: Iterable[Call]) -> frozenset[Host]:
    """By the tools it calls, the keys of its front matter and the folders it says it lies in."""
    found = {host for call in calls if call.at.use == "instruction" and (host := _TOOLS.get(call.name))}
    if main is not None:
        found |= {host for folder, host in _FOLDERS.items() if f"{folder}skills/{name}/" in main.text}
        if main.front is not None and _KEYS & main.front.values.keys():
            found.add("claude")
    return frozenset(found)


def find_mode(pages: Mapping[str, Page], main: str) -> Mode:
    """Autonomous where an orchestrator chooses among actions by a state; sequential else."""
    actions = sum(page.kind == "action" for page in pages.values())
    orchestrator = any(path.casefold().endswith("orchestrator.md") for path in pages)
    front = pages[main].front if main in pages else None
    told = front is not None and "autonomous" in (front.values.get("execution_mode"), front.values.get("mode"))
    return "autonomous" if actions >= 2 or (orchestrator and actions) or told else "sequential"


def read_allowed_tools(front: FrontMatter | None) -> frozenset[str] | None:
    """What `allowed-tools` declares, patterns with their brackets; None where it declares nothing."""
    value = front.values.get("allowed-tools") if front is not None else None
    if front is None or "allowed-tools" not in front.values:
        return None
    listed = value if isinstance(value, list) else [value]
    return frozenset(tool for entry in listed if entry is not None for tool in _TOOL.findall(str(entry)))


FEWEST = 2
"""Steps that make a course."""
_PHASE_FOLDERS = ("phases", "actions", "steps", "stages")
"""Folders whose pages are steps of the course; the first that has some is taken."""
_ASIDE = re.compile(r"(?:readme|index|orchestrator|.*schema|_.*|template|overview)\.md\Z", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|[^0-9])(\d{1,3})")
_STEP = re.compile(
    r"\W*+(?:(?:phase|step|stage|阶段|步骤)\s*+[#:：-]?\s*+(?:\d|[IVX]+\b|[A-E]\b|[一二三四五六七八九十])"
    r"|第\s*+[0-9一二三四五六七八九十]++\s*+(?:阶段|步|阶|章)|\d{1,2}[.):、]\s*+\S)",
    re.IGNORECASE,
)


def find_phases(pages: Mapping[str, Page], main: str) -> tuple[Phase, ...]:
    """Pages of a folder of phases; else the sections of SKILL.md that are numbered as steps."""
    files = [path for path in pages if path.endswith(".md") and path != main and not _ASIDE.match(basename(path))]
    for folder in _PHASE_FOLDERS:
        if steps := sorted((path for path in files if basename(dirname(path)) == folder), key=_by_number):
            return tuple(
                Phase(path, order, path, 0, len(pages[path].text), tokens=pages[path].tokens)
                for order, path in enumerate(steps, 1)
            )
    page = pages.get(main)
    if page is None:
        return ()
    found = [index for index, section in enumerate(page.sections) if _STEP.match(section.title)]
    levels = [page.sections[index].level for index in found]
    level = next((one for one in sorted({*levels}) if levels.count(one) >= FEWEST), 0)
    steps_here = [index for index in found if page.sections[index].level == level]
    return tuple(_of_section(page, page.sections[index], order, index) for order, index in enumerate(steps_here, 1))


def _by_number(path: str) -> tuple[str, int, str]:
    found = _NUMBER.search(basename(path))
    return dirname(path), int(found[1]) if found else 1_000, path


def _of_section(page: Page, section: Section, order: int, index: int) -> Phase:
    """Its tokens by its share of the page's characters."""
    share = round(page.tokens * (section.end - section.start) / max(1, len(page.text)))
    return Phase(section.title, order, page.path, section.start, section.end, index, share)


class PhaseMap:
    """Which phase a place belongs to."""

    def __init__(self, steps: tuple[Phase, ...]) -> None:
        self._files = {phase.file for phase in steps if phase.section < 0}
        self._parts = [phase for phase in steps if phase.section >= 0]

    def phase(self, file: str, at: int) -> str | None:
        """The path of the phase's file, or the title of its section."""
        if file in self._files:
            return file
        index = bisect_right(self._parts, at, key=lambda part: part.start) - 1
        part = self._parts[index] if index >= 0 else None
        return part.name if part and part.file == file and at < part.end else None


READERS = frozenset({"Read", "read_file", "ReadFile", "readFile", "view", "cat"})
"""Calls whose first argument is a file that is read."""
_ROOT = re.compile(
    r"(?:\$\{?(?:CLAUDE_SKILL_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_SKILL_ROOT|SKILL_DIR|SKILL_ROOT|SKILL_PATH)\}?|\{baseDir\}"
    r"|\{\{?skill[_-]?(?:dir|root|path)\}?\}|<skill[-_ ]?(?:dir|directory|root|path|folder)>)\Z",
    re.IGNORECASE,
)
"""How authors write the skill's own folder, or that of its plugin, before a slash."""
_ENDING = re.compile(
    r"\.(?:md|mdx|mdc|json|jsonl|json5|yaml|yml|toml|csv|tsv|txt|html|css|js|mjs|cjs|jsx|ts|tsx|py|sh|bash|ps1|xml|rb|go"
    r"|rs)(?![\w/*(-]|\.\w)",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(r"[\w./-]*", re.ASCII)
_PATH = re.compile(r"(?:\.{1,2}/)*[\w.-]*\w(?:/[\w.-]+)*\Z")
_GLUED = tuple("$}>@%:~*")
"""What stands before a name that is only the end of one."""
LONGEST = 200
"""Characters of a path."""
_ELSEWHERE = re.compile(r"[A-Za-z][\w+.-]*:|[/~]|\.[A-Za-z]")
"""Addresses, absolute paths, and hidden folders, which are those of the project that the skill works on."""
_LOADS = re.compile(
    r"\b(?:read|load|follow|open|consult)\b|读取|加载|阅读|载入|读|查阅|按照|遵循",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:writ(?:e|es|ing|ten)|sav(?:e|es|ed)|creat(?:e|es|ed)|generat(?:e|es|ed)|produc(?:e|es|ed)|outputs?|stores?"
    r"|updat(?:e|es|ed)|append|add|copy|exports?)\b|写|保存|生成|创建|输出|更新|存入|导出|>\s*\Z",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\bif (?:it|they|one|there|any|present|available|found)\b|\bexists?\b|\boptional(?:ly)?\b|\bwhen present\b"
    r"|如果|若|可选|存在",
    re.IGNORECASE,
)
_INVENTED = re.compile(
    r"[{}<>$*|…]|\.\.\.|path/to|your[-_]|\bexample|(?:^|/)(?:foo|bar|file|filename)\.", re.IGNORECASE
)
NEAR = 120
"""Characters of a line before a name that say what is done with the file."""


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """All files of a skill of that name: as they are written, by their paths in small letters; `folders` likewise.

    `above`: those of its plugin and its project, as seen from there.
    """

    skill: str
    paths: Mapping[str, str]
    folders: frozenset[str]
    names: Mapping[str, tuple[str, ...]]
    above: Set[str]

    def find(self, path: str) -> str | None:
        """The file there; a folder ends with a slash."""
        small = normpath(path).casefold()
        return self.paths.get(small) or (f"{small}/" if small in self.folders else None)


def index_files(skill: str, paths: Iterable[str], above: Set[str] = frozenset()) -> SkillIndex:
    names: dict[str, tuple[str, ...]] = {}
    folders: set[str] = set()
    for path in paths:
        names[basename(path).casefold()] = (*names.get(basename(path).casefold(), ()), path)
        folder = dirname(path).casefold()
        while folder and folder not in folders:
            folders.add(folder)
            folder = dirname(folder)
    return SkillIndex(skill, {path.casefold(): path for path in paths}, frozenset(folders), names, above)


class ReferenceFinder:
    """What the pages name, page by page. `at` makes a place of a page."""

    def __init__(self, files: SkillIndex, at: Callable[[Page, int, int], FilePosition]) -> None:
        self._files, self._at = files, at
        self._by_page: dict[str, list[Reference]] = {}
        self._written: set[str] = set()

    def read(self, page: Page, calls: Iterable[Call]) -> None:
        """All that a page names; `calls` are its own."""
        if page.kind not in ("script", "data"):
            read = {one.at.start + 1 for call in calls if call.name in READERS for one in call.arguments[:1]}
            named = [*self._links(page), *self._mentions(page, read)]
            self._by_page[page.path] = sorted(named, key=lambda one: one.at.start)

    def led_to(self, path: str) -> list[str]:
        """The files that a page names, each once, in order."""
        return list(dict.fromkeys(one.resolved for one in self._by_page.get(path, ()) if one.resolved is not None))

    def found(self) -> tuple[Reference, ...]:
        """Of all pages. A file that the skill writes itself is no dead reference where it is read."""
        named = (one for named in self._by_page.values() for one in named)
        return tuple(
            one for one in named if one.resolved or one.kind == "link" or basename(one.target) not in self._written
        )

    def _links(self, page: Page) -> Iterator[Reference]:
        for link in page.links:
            path = unquote(link.text.partition("#")[0].partition("?")[0])
            if not path or _ELSEWHERE.match(path) or _INVENTED.search(path):
                continue
            target, resolved, outside = _resolve(self._files, page.path, path)
            if not outside and (resolved or "." in basename(path) or path.endswith("/")):
                place = self._at(page, link.start, link.end)
                loads = bool(_LOADS.search(_before(page.text, link.start)))
                yield Reference(link.text, target, resolved, "link", place, loads)

    def _mentions(self, page: Page, read: set[int]) -> Iterator[Reference]:
        """`read`: where a call names a file that it reads."""
        links = {link.start for link in page.links}
        for path, start, end, own in _paths(page.text, page.front.end if page.front else 0):
            if start in links or _INVENTED.search(path):
                continue
            target, resolved, outside = _resolve(self._files, page.path, path, own)
            if resolved == page.path or outside:
                continue
            line = _before(page.text, start)
            loads = start in read or bool(_LOADS.search(line))
            if resolved is None:
                if _WRITES.search(line):
                    self._written.add(basename(target))
                    continue
                if not loads or dirname(target).casefold() not in self._files.folders:
                    continue
                if start not in read and (block := page.block(start)) and block.kind == "code":
                    continue
            kind: ReferenceKind = "read" if start in read else "prose"
            place, maybe = self._at(page, start, end), _is_maybe(page.text, start, end)
            yield Reference(page.text[start:end], target, resolved, kind, place, loads, maybe)


def _paths(text: str, begin: int) -> Iterator[tuple[str, int, int, bool]]:
    """Whatever looks like the path of a file, where it stands, and whether it begins at the skill's own folder."""
    for ending in _ENDING.finditer(text, begin):
        before = text[max(begin, ending.start() - LONGEST) : ending.start()]
        back = _BACKWARDS.match(before[::-1])
        start = ending.start() - (back.end() if back else 0)
        path, root = text[start : ending.end()], None
        if path.startswith("/"):
            root = _ROOT.search(text, max(begin, start - LONGEST), start)
            path = path[1:]
            if root is not None and "PLUGIN" in root[0] and not path.startswith("skills/"):
                continue
        bare = text[start] != "/" and text[start - 1 : start] not in _GLUED
        if (root or bare) and start < ending.start() and _PATH.match(path):
            yield path, root.start() if root else start, ending.end(), root is not None


def _resolve(files: SkillIndex, page: str, path: str, own: bool = False) -> tuple[str, str | None, bool]:
    """Where a path leads: as seen from the page, from the folders above it, or the only file of a bare name.

    Its target, the file of the skill, and whether it leads out of the skill.
    """
    if (inner := path.rpartition(f"skills/{files.skill}/")[2]) != path:
        path, own = inner, True
    folder = "" if own else dirname(page)
    first = normpath(join(folder, path))
    while True:
        target = normpath(join(folder, path))
        if (resolved := files.find(target)) is not None:
            return resolved, resolved, False
        if not folder:
            break
        folder = dirname(folder)
    if first.startswith("..") or normpath(path) in files.above:
        return first, None, True
    same = files.names.get(path.casefold(), ()) if "/" not in path else ()
    if len(same) == 1:
        return same[0], same[0], False
    return first if path.startswith(".") else normpath(path), None, False


def _before(text: str, at: int) -> str:
    return text[max(text.rfind("\n", 0, at) + 1, at - NEAR) : at]


def _is_maybe(text: str, start: int, end: int) -> bool:
    stop = text.find("\n", end)
    return (
        _MAYBE.search(_before(text, start) + text[end : min(stop if stop >= 0 else len(text), end + NEAR)]) is not None
    )


def read_skill(
    name: str,
    files: Mapping[str, bytes],
    catalogues: tuple[tuple[str, str], ...] = (),
    *,
    unread: Mapping[str, int] | None = None,
    above: Set[str] = frozenset(),
) -> Skill:
    """The skill of that name. `files` by their paths below its folder; `unread`: sizes of those that are not given.

    `above`: files of its plugin and its project, as seen from there.
    """
    main = main_among(files) or "SKILL.md"
    # Sorted, so that of files of one name the same is meant, in whatever order they come.
    sizes = dict(sorted(({path: len(data) for path, data in files.items()} | dict(unread or {})).items()))
    parts = (path.rpartition("/") for path in sizes)
    nested = tuple(f"{folder}/" for folder, slash, last in parts if slash and last.lower() == MAIN)
    pages = _pages(files, main, nested)
    steps = find_phases(pages, main)
    course = PhaseMap(steps)

    def at(page: Page, start: int, end: int) -> FilePosition:
        return FilePosition(page.path, start, end, page.line(start), page.use(start), course.phase(page.path, start))

    first = pages.get(main)
    named = ReferenceFinder(index_files(_own_name(name, first), sizes, above), at)
    seen: list[Page] = []
    called: list[Call] = []
    for page in _reached(pages, main, named):
        seen.append(page)
        made = tuple(parse_calls(page, partial(at, page)))
        called += made
        named.read(page, made)
    return Skill(
        name=name,
        main=main,
        files=sizes,
        pages=pages,
        reached=tuple(page.path for page in seen),
        mode=find_mode(pages, main),
        hosts=find_hosts(name, first, called),
        tools=read_allowed_tools(first.front) if first else None,
        phases=steps,
        calls=tuple(called),
        references=named.found(),
        enumerations=tuple(one for page in seen for one in parse_enumerations(page, partial(at, page))),
        settings=tuple(one for page in seen for one in parse_settings(page, partial(at, page))),
        catalogues=catalogues,
    )


def _reached(pages: Mapping[str, Page], main: str, named: ReferenceFinder) -> Iterator[Page]:
    """SKILL.md and the pages that it leads to, as far as each was read when the next one is asked for."""
    todo = [main] if main in pages else []
    known = {*todo}
    while todo:
        path = todo.pop(0)
        yield pages[path]
        fresh = [one for one in named.led_to(path) if one in pages and one not in known]
        known.update(fresh)
        todo += fresh


def _own_name(name: str, main: Page | None) -> str:
    """By what its paths call it: the name that it gives itself, where it says its own paths with that."""
    own = main.front.values.get("name") if main is not None and main.front is not None else None
    return own if isinstance(own, str) and own and main is not None and f"skills/{own}/" in main.text else name


def _pages(files: Mapping[str, bytes], main: str, nested: tuple[str, ...]) -> dict[str, Page]:
    """SKILL.md first, then by their paths."""
    order = sorted((path for path in files if not path.startswith(nested)), key=lambda path: (path != main, path))
    return {path: page for path in order if (page := read_page(path, files[path])) is not None}
