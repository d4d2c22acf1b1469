"""The survey of a project: its files one after the other, with an eye on their number, their size and the time."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.domain.survey import Case, Manifest, Module, Survey
from loopwright.domain.test_material import holds_tests, is_test_material
from loopwright.domain.words import clean, plural
from loopwright.survey import scripts
from loopwright.survey.files import Unread, read_text
from loopwright.survey.imports import Imports
from loopwright.survey.languages import language_of
from loopwright.survey.manifests import read_manifest, reader_of
from loopwright.survey.python import Read, read

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
    reads: dict[str, Read] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    skipped: int = 0


class ProjectSurveyor:
    """See ports.Surveyor. `files` lists the project at `root`: project-relative names of all that is not ignored."""

    def __init__(
        self, root: Path, files: Callable[[], Sequence[str]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._root, self._files, self._now = root, files, now

    def survey(self) -> Survey:
        names = [name for name in self._files() if name == clean(name)]
        kinds = Counter(filter(None, map(language_of, names)))
        look = _Look(self._now() + SECONDS)
        manifests = tuple(self._manifests(look, names))
        self._read_all(look, [name for name in names if language_of(name)])
        return Survey(
            files=len(names), kinds=dict(kinds.most_common()), modules=tuple(_modules(look)), manifests=manifests,
            left_out=tuple(_left_out(look)),
        )  # fmt: skip

    def _manifests(self, look: _Look, names: Sequence[str]) -> Iterator[Manifest]:
        """The nearest to the root first."""
        found = sorted((name for name in names if reader_of(name)), key=lambda name: (name.count("/"), name))
        look.skipped += len(found[MANIFESTS:])
        for name in found[:MANIFESTS]:
            text = self._text(look, name)
            if text is not None and (manifest := read_manifest(name, text)):
                yield manifest
            elif text is not None:
                look.unread.append(f"{name} can not be read as what its name says")

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
                look.reads[name] = read(text, is_test=holds_tests(name))

    def _text(self, look: _Look, name: str) -> str | None:
        try:
            text = read_text(self._root, name)
        except Unread as why:
            look.unread.append(f"{name} {why}")
            return None
        look.room -= len(text)
        return text


def _modules(look: _Look) -> Iterator[Module]:
    imports = Imports({name: read.imports for name, read in look.reads.items()})
    for name, text in look.texts.items():
        known = look.reads.get(name)
        yield _python(name, text, known, imports) if known else _other(name, text, look.texts)


def _python(name: str, text: str, known: Read, imports: Imports) -> Module:
    files, packages = imports.of(name)
    return Module(
        path=name, language="Python", lines=text.count("\n"), is_test=is_test_material(name), summary=known.summary,
        imports=files, packages=packages, exports=known.exports, entry=known.entry, broken=known.broken,
        cases=known.cases, style=known.style,
    )  # fmt: skip


def _other(name: str, text: str, known: dict[str, str]) -> Module:
    language = language_of(name)
    scripted = language in ("JavaScript", "TypeScript")
    files, packages = scripts.imports(name, text, known) if scripted else ((), ())
    tests = scripts.cases(text) if scripted and holds_tests(name) else ()
    return Module(
        path=name, language=language, lines=text.count("\n"), is_test=is_test_material(name), imports=files,
        packages=packages, cases=tuple(Case(name=words, line=line) for words, line in tests),
    )  # fmt: skip


def _left_out(look: _Look) -> Iterator[str]:
    yield from look.unread[:NAMED]
    if (more := len(look.unread) - NAMED) > 0:
        yield f"{plural(more, 'other file')} could not be read"
    if look.skipped:
        yield f"{plural(look.skipped, 'source file')} not looked into: the project is larger than is surveyed"
