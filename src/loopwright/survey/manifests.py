"""What the files say by which a project is built, run and tested. Each reader takes a text and fails on none."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable

from loopwright.core.survey import Manifest, ManifestKind
from loopwright.core.text import clean_line, clip_text

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
    path: str, kind: ManifestKind, dependencies: Iterable[object] = (), *, name: object = "",
    scripts: object = None, entries: Iterable[str] = (),
) -> Manifest:  # fmt: skip
    names = _each(dependencies)
    lines = scripts if isinstance(scripts, dict) else {}
    lowered = {name.lower(): name for name in names}
    return Manifest(
        path=path, kind=kind, name=_short(name) if isinstance(name, str) else "", dependencies=names,
        scripts={_short(key): _short(value) for key, value in list(lines.items())[:MOST] if isinstance(value, str)},
        entries=_each(entries), frameworks=tuple(lowered[known] for known in FRAMEWORKS if known in lowered),
    )  # fmt: skip


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
        path, "python", names, name=project.get("name") or poetry.get("name") or "", scripts=scripts,
        entries=[f"{name} = {place}" for name, place in scripts.items()],
    )  # fmt: skip


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
        path, "rust", names, name=_table(document, "package").get("name", ""),
        entries=[f"bin {name}" for name in programs if isinstance(name, str)],
    )  # fmt: skip


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


def _container(path: str, text: str) -> Manifest:
    return _made(path, "container", _FROM.findall(text))


def _ci(path: str, text: str) -> Manifest:
    return _made(path, "ci")


_READERS: dict[str, Reader] = {
    "pyproject.toml": _pyproject, "setup.cfg": _setup_cfg, "package.json": _package_json,
    "go.mod": _go, "Cargo.toml": _cargo, "pom.xml": _maven, "build.gradle": _gradle, "build.gradle.kts": _gradle,
    "Makefile": _make, "makefile": _make, "GNUmakefile": _make, "pytest.ini": _settings, "tox.ini": _settings,
    "conftest.py": _settings, "Dockerfile": _container,
}  # fmt: skip
