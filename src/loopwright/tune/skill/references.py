"""Files of the skill that its pages name, and whether a model is told to read them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote

from loopwright.tune.skill.model import At, Call, Reference, ReferenceKind
from loopwright.tune.skill.page import Page

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
class Files:
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


def files_of(skill: str, paths: Iterable[str], above: Set[str] = frozenset()) -> Files:
    names: dict[str, tuple[str, ...]] = {}
    folders: set[str] = set()
    for path in paths:
        names[basename(path).casefold()] = (*names.get(basename(path).casefold(), ()), path)
        folder = dirname(path).casefold()
        while folder and folder not in folders:
            folders.add(folder)
            folder = dirname(folder)
    return Files(skill, {path.casefold(): path for path in paths}, frozenset(folders), names, above)


class References:
    """What the pages name, page by page. `at` makes a place of a page."""

    def __init__(self, files: Files, at: Callable[[Page, int, int], At]) -> None:
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


def _resolve(files: Files, page: str, path: str, own: bool = False) -> tuple[str, str | None, bool]:
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
