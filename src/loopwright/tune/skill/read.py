"""Reads the files of a skill into one graph."""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial

from loopwright.domain.skill_files import MAIN, main_among
from loopwright.tune.skill.calls import calls
from loopwright.tune.skill.enums import enumerations, settings
from loopwright.tune.skill.hosts import hosts, mode, tools
from loopwright.tune.skill.model import At, Call, Skill
from loopwright.tune.skill.page import Page, read_page
from loopwright.tune.skill.phases import Course, phases
from loopwright.tune.skill.references import References, files_of


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
    pages = _pages(files, main, _nested(sizes))
    steps = phases(pages, main)
    course = Course(steps)

    def at(page: Page, start: int, end: int) -> At:
        return At(page.path, start, end, page.line(start), page.use(start), course.phase(page.path, start))

    first = pages.get(main)
    named = References(files_of(_own_name(name, first), sizes, above), at)
    seen: list[Page] = []
    called: list[Call] = []
    for page in _reached(pages, main, named):
        seen.append(page)
        made = tuple(calls(page, partial(at, page)))
        called += made
        named.read(page, made)
    return Skill(
        name=name, main=main, files=sizes, pages=pages, reached=tuple(page.path for page in seen),
        mode=mode(pages, main), hosts=hosts(name, first, called), tools=tools(first.front) if first else None,
        phases=steps, calls=tuple(called), references=named.found(),
        enumerations=tuple(one for page in seen for one in enumerations(page, partial(at, page))),
        settings=tuple(one for page in seen for one in settings(page, partial(at, page))), catalogues=catalogues,
    )  # fmt: skip


def _reached(pages: Mapping[str, Page], main: str, named: References) -> Iterator[Page]:
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


def _nested(files: Iterable[str]) -> tuple[str, ...]:
    """Folders below that hold a SKILL.md of their own."""
    names = (path.rpartition("/") for path in files)
    return tuple(f"{folder}/" for folder, slash, name in names if slash and name.lower() == MAIN)


def _pages(files: Mapping[str, bytes], main: str, nested: tuple[str, ...]) -> dict[str, Page]:
    """SKILL.md first, then by their paths."""
    order = sorted((path for path in files if not path.startswith(nested)), key=lambda path: (path != main, path))
    return {path: page for path in order if (page := read_page(path, files[path])) is not None}
