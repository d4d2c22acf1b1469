"""The survey of a project: its files one after the other, with an eye on their number, their size and the time."""

import configparser
import json
import os
import re
import stat
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import normpath

from loopwright.core.survey import Manifest, ManifestKind, ProjectSurvey, SurveyedModule, SurveyedTest
from loopwright.core.text import clean_line, clip_text, plural
from loopwright.evidence.test_material import holds_tests, is_test_material
from loopwright.survey.python import ImportIndex, ParsedModule, parse_module

MOST, LENGTH = 40, 120
"""Dependencies, scripts or entries of one manifest; characters of each."""

FRAMEWORKS = (
    "django", "flask", "fastapi", "starlette", "aiohttp", "tornado", "typer", "click", "pydantic", "sqlalchemy",
    "numpy", "pandas", "torch", "pytest", "hypothesis", "react", "preact", "vue", "svelte", "@angular/core",
    "next", "express", "fastify", "koa", "@nestjs/core", "jest", "vitest", "mocha", "playwright", "axum",
    "actix-web", "tokio", "serde", "clap", "gin", "echo", "cobra", "spring-boot", "junit", "junit-jupiter",
    "spring-boot-starter-web",
)  # fmt: skip
"""Packages that say how a project is written."""

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_GO_REQUIRED = re.compile(r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[\w./-]+)\s+v\d", re.MULTILINE)
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_RULE = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?!=)", re.MULTILINE)
_DEPENDENCY = re.compile(r"<artifactId>\s*([\w.-]+)\s*</artifactId>")
_GRADLE = re.compile(r"[\"'][\w.-]+:([\w.-]+):[^\"']*[\"']")
_FROM = re.compile(r"^FROM\s+(\S+)", re.MULTILINE | re.IGNORECASE)

Reader = Callable[[str, str], Manifest]


def reader_of(path: str) -> Reader | None:
    """What reads the file of that name, if it is a manifest."""
    name = path.rpartition("/")[2]
    if re.fullmatch(r"requirements[\w.-]*\.txt", name):
        return _requirements
    if path.startswith(".github/workflows/") or name == ".gitlab-ci.yml":
        return _ci
    return _READERS.get(name)


def read_manifest(path: str, text: str) -> Manifest | None:
    """None for a text that is none of its kind."""
    reader = reader_of(path)
    if reader is None:
        return None
    try:
        return reader(path, text)
    except (ValueError, RecursionError, configparser.Error):
        return None


def _made(
    path: str,
    kind: ManifestKind,
    dependencies: Iterable[object] = (),
    *,
    name: object = "",
    scripts: object = None,
    entries: Iterable[str] = (),
) -> Manifest:
    names = _each(dependencies)
    lines = scripts if isinstance(scripts, dict) else {}
    lowered = {name.lower(): name for name in names}
    return Manifest(
        path=path,
        kind=kind,
        name=_short(name) if isinstance(name, str) else "",
        dependencies=names,
        scripts={_short(key): _short(value) for key, value in list(lines.items())[:MOST] if isinstance(value, str)},
        entries=_each(entries),
        frameworks=tuple(lowered[known] for known in FRAMEWORKS if known in lowered),
    )


def _each(values: Iterable[object]) -> tuple[str, ...]:
    texts = (_short(value) for value in values if isinstance(value, str))
    return tuple(dict.fromkeys(filter(None, texts)))[:MOST]


def _short(value: object) -> str:
    return clip_text(clean_line(str(value)), LENGTH)


def _table(value: object, *keys: str) -> dict[str, object]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _package_of(requirement: object) -> str:
    found = _REQUIREMENT.match(requirement.strip()) if isinstance(requirement, str) else None
    return found[0] if found else ""


def _pyproject(path: str, text: str) -> Manifest:
    document = tomllib.loads(text)
    project, poetry = _table(document, "project"), _table(document, "tool", "poetry")
    groups = (*_table(project, "optional-dependencies").values(), *_table(document, "dependency-groups").values())
    required = (*_list(project.get("dependencies")), *(one for group in groups for one in _list(group)))
    names = [*map(_package_of, required), *(name for name in _table(poetry, "dependencies") if name != "python")]
    scripts = _table(project, "scripts") or _table(poetry, "scripts")
    return _made(
        path,
        "python",
        names,
        name=project.get("name") or poetry.get("name") or "",
        scripts=scripts,
        entries=[f"{name} = {place}" for name, place in scripts.items()],
    )


def _setup_cfg(path: str, text: str) -> Manifest:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    required = parser.get("options", "install_requires", fallback="").splitlines()
    return _made(path, "python", map(_package_of, required), name=parser.get("metadata", "name", fallback=""))


def _requirements(path: str, text: str) -> Manifest:
    lines = (line.strip() for line in text.splitlines())
    return _made(path, "python", (_package_of(line) for line in lines if line and line[0] not in "#-"))


def _package_json(path: str, text: str) -> Manifest:
    document = json.loads(text)
    if not isinstance(document, dict):
        raise ValueError("no object")
    kinds = ("dependencies", "devDependencies", "optionalDependencies")
    names = [name for kind in kinds for name in _table(document, kind)]
    programs = document.get("bin")
    entries = [f"main: {document['main']}"] if isinstance(document.get("main"), str) else []
    entries += [f"bin: {programs}"] if isinstance(programs, str) else []
    entries += [f"bin {name}: {place}" for name, place in _table(document, "bin").items()]
    return _made(path, "javascript", names, name=document.get("name"), scripts=document.get("scripts"), entries=entries)


def _go(path: str, text: str) -> Manifest:
    module = _GO_MODULE.search(text)
    names = [found.rpartition("/")[2] if "/v" not in found else found for found in _GO_REQUIRED.findall(text)]
    return _made(path, "go", names, name=module[1] if module else "")


def _cargo(path: str, text: str) -> Manifest:
    document = tomllib.loads(text)
    names = [*_table(document, "dependencies"), *_table(document, "dev-dependencies")]
    programs = [one.get("name") for one in _list(document.get("bin")) if isinstance(one, dict)]
    return _made(
        path,
        "rust",
        names,
        name=_table(document, "package").get("name", ""),
        entries=[f"bin {name}" for name in programs if isinstance(name, str)],
    )


def _maven(path: str, text: str) -> Manifest:
    """By its text alone: no parser of XML meets a file that nobody vouches for."""
    parts = re.split(r"<dependencies>", text, maxsplit=1)
    own = _DEPENDENCY.search(re.sub(r"<parent>.*?</parent>", "", parts[0], flags=re.DOTALL))
    return _made(path, "java", _DEPENDENCY.findall("".join(parts[1:])), name=own[1] if own else "")


def _gradle(path: str, text: str) -> Manifest:
    return _made(path, "java", _GRADLE.findall(text))


def _make(path: str, text: str) -> Manifest:
    rules = dict.fromkeys(_RULE.findall(text))
    return _made(path, "make", scripts={rule: f"make {rule}" for rule in rules})


def _settings(path: str, text: str) -> Manifest:
    return _made(path, "tests")


def _ci(path: str, text: str) -> Manifest:
    return _made(path, "ci")


_READERS: dict[str, Reader] = {
    "pyproject.toml": _pyproject, "setup.cfg": _setup_cfg, "package.json": _package_json,
    "go.mod": _go, "Cargo.toml": _cargo, "pom.xml": _maven, "build.gradle": _gradle, "build.gradle.kts": _gradle,
    "Makefile": _make, "makefile": _make, "GNUmakefile": _make, "pytest.ini": _settings, "tox.ini": _settings,
    "conftest.py": _settings, "Dockerfile": lambda path, text: _made(path, "container", _FROM.findall(text)),
}  # fmt: skip


LARGEST = 512 * 1024
"""Bytes of a file that is looked into."""


class UnreadFile(Exception):
    """A file that is not looked into; the text says why."""


def read_text(root: Path, name: str) -> str:
    """The text of a project-relative file. Unread: no regular file, too large, not UTF-8, or a binary."""
    try:
        descriptor = os.open(root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise UnreadFile("cannot be opened") from error
    with os.fdopen(descriptor, "rb") as file:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise UnreadFile("is not a regular file")
        if known.st_size > LARGEST:
            raise UnreadFile(f"is larger than {LARGEST // 1024} KiB")
        data = file.read(LARGEST + 1)
    if b"\0" in data:
        raise UnreadFile("is binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadFile("is not UTF-8") from error


LANGUAGES: dict[str, str] = {
    "py": "Python", "pyi": "Python", "pyx": "Cython",
    "js": "JavaScript", "cjs": "JavaScript", "mjs": "JavaScript", "jsx": "JavaScript",
    "ts": "TypeScript", "cts": "TypeScript", "mts": "TypeScript", "tsx": "TypeScript",
    "go": "Go", "rs": "Rust", "java": "Java", "kt": "Kotlin", "scala": "Scala", "groovy": "Groovy",
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cs": "C#", "rb": "Ruby", "php": "PHP",
    "swift": "Swift", "lua": "Lua", "sh": "Shell", "bash": "Shell", "sql": "SQL", "vue": "Vue", "svelte": "Svelte",
}  # fmt: skip


def language_of(path: str) -> str:
    """Empty for what is no source code."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return LANGUAGES.get(suffix.lower(), "") if dot else ""


_IMPORTED = re.compile(r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]{1,200})["']""")
_CASE = re.compile(r"""^\s*(?:test|it)(?:\.\w+)?\s*\(\s*(["'`])(.{1,200}?)\1""", re.MULTILINE)
ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")
CASES = 200


def find_imports(path: str, text: str, known: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The project's files that it names, and the packages; both sorted."""
    files: set[str] = set()
    packages: set[str] = set()
    for name in _IMPORTED.findall(text):
        if name.startswith("."):
            place = normpath(f"{path.rpartition('/')[0]}/{name}").lstrip("/")
            tried = (f"{stem}{ending}" for ending in ENDINGS for stem in (place, place.removesuffix(".js")))
            files.update([one for one in tried if one in known][:1])
        elif not name.startswith(("node:", "/")):
            parts = name.split("/")
            packages.add("/".join(parts[:2]) if name.startswith("@") else parts[0])
    return tuple(sorted(files)), tuple(sorted(packages))


def find_cases(text: str) -> Iterator[tuple[str, int]]:
    """Names of its tests, with their lines."""
    line, at = 1, 0
    for found in list(_CASE.finditer(text))[:CASES]:
        line += text.count("\n", at, found.start(2))
        at = found.start(2)
        yield clip_text(found[2], 120), line


FILES, BYTES, SECONDS = 5_000, 40_000_000, 20.0
"""What is looked into at most: source files, their bytes, and for how long."""
MANIFESTS = 50
NAMED = 10
"""Files that are named among those that were left out; the others are counted."""


@dataclass
class _Look:
    """One survey under way."""

    ends: float
    room: int = BYTES
    texts: dict[str, str] = field(default_factory=dict)
    reads: dict[str, ParsedModule] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    skipped: int = 0


class ProjectSurveyor:
    """See ports.Surveyor. `files` lists the project at `root`: project-relative names of all that is not ignored."""

    def __init__(
        self, root: Path, files: Callable[[], Sequence[str]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._root, self._files, self._now = root, files, now

    def survey(self) -> ProjectSurvey:
        names = [name for name in self._files() if name == clean_line(name)]
        kinds = Counter(filter(None, map(language_of, names)))
        look = _Look(self._now() + SECONDS)
        manifests = tuple(self._manifests(look, names))
        self._read_all(look, [name for name in names if language_of(name)])
        imports = ImportIndex({name: read.imports for name, read in look.reads.items()})
        return ProjectSurvey(
            files=len(names),
            kinds=dict(kinds.most_common()),
            modules=tuple(
                _python(name, text, look.reads[name], imports) if name in look.reads else _other(name, text, look.texts)
                for name, text in look.texts.items()
            ),
            manifests=manifests,
            left_out=tuple(_left_out(look)),
        )

    def _manifests(self, look: _Look, names: Sequence[str]) -> Iterator[Manifest]:
        """The nearest to the root first."""
        found = sorted((name for name in names if reader_of(name)), key=lambda name: (name.count("/"), name))
        look.skipped += len(found[MANIFESTS:])
        for name in found[:MANIFESTS]:
            text = self._text(look, name)
            if text is not None and (manifest := read_manifest(name, text)):
                yield manifest
            elif text is not None:
                look.unread.append(f"{name} cannot be parsed as its name suggests")

    def _read_all(self, look: _Look, names: Sequence[str]) -> None:
        for n, name in enumerate(names):
            if n >= FILES or look.room <= 0 or self._now() > look.ends:
                look.skipped += len(names) - n
                return
            text = self._text(look, name)
            if text is None:
                continue
            look.texts[name] = text
            if language_of(name) == "Python":
                look.reads[name] = parse_module(text, is_test=holds_tests(name))

    def _text(self, look: _Look, name: str) -> str | None:
        try:
            text = read_text(self._root, name)
        except UnreadFile as why:
            look.unread.append(f"{name} {why}")
            return None
        look.room -= len(text)
        return text


def _python(name: str, text: str, known: ParsedModule, imports: ImportIndex) -> SurveyedModule:
    files, packages = imports.of(name)
    return SurveyedModule(
        path=name,
        language="Python",
        lines=text.count("\n"),
        is_test=is_test_material(name),
        summary=known.summary,
        imports=files,
        packages=packages,
        exports=known.exports,
        entry=known.entry,
        broken=known.broken,
        cases=known.cases,
        style=known.style,
    )


def _other(name: str, text: str, known: dict[str, str]) -> SurveyedModule:
    language = language_of(name)
    scripted = language in ("JavaScript", "TypeScript")
    files, packages = find_imports(name, text, known) if scripted else ((), ())
    tests = find_cases(text) if scripted and holds_tests(name) else ()
    return SurveyedModule(
        path=name,
        language=language,
        lines=text.count("\n"),
        is_test=is_test_material(name),
        imports=files,
        packages=packages,
        cases=tuple(SurveyedTest(name=words, line=line) for words, line in tests),
    )


def _left_out(look: _Look) -> Iterator[str]:
    yield from look.unread[:NAMED]
    if (more := len(look.unread) - NAMED) > 0:
        yield f"{plural(more, 'other file')} could not be read"
    if look.skipped:
        yield f"{plural(look.skipped, 'source file')} skipped: the project exceeds the survey's limit"
