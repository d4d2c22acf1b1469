"""Reads the files of a skill into one graph."""

from collections.abc import Callable, Iterable, Mapping
from posixpath import dirname
from typing import TypeVar

from loopwright.tune.skill import bindings
from loopwright.tune.skill.artefacts import Called, artefacts, run_of
from loopwright.tune.skill.behaviour import read_code
from loopwright.tune.skill.fields import fields
from loopwright.tune.skill.ground import Ground, ground
from loopwright.tune.skill.hosts import hosts, mode, tools
from loopwright.tune.skill.joining import joined
from loopwright.tune.skill.known import known
from loopwright.tune.skill.model import Artefact, At, Page, Reference, Skill, Surroundings
from loopwright.tune.skill.page import read_page
from loopwright.tune.skill.phases import Course, course
from loopwright.tune.skill.references import LOADERS, references
from loopwright.tune.skill.schemas import schemas
from loopwright.tune.skill.targets import Files, files_of

MAIN = "SKILL.md"
NOWHERE = Surroundings()
T = TypeVar("T")


def read_skill(
    name: str, files: Mapping[str, bytes], around: Surroundings = NOWHERE, *, unread: Mapping[str, int] | None = None
) -> Skill:
    """The skill of that name. `files` by their paths below its folder; `unread`: sizes of those that are not given."""
    main = next((path for path in sorted(files) if path.lower() == MAIN.lower()), MAIN)
    nested = _nested([*files, *(unread or ())])
    pages = _pages(files, main, nested)
    way = course(pages, main)
    grounds = _grounds(pages, way)
    # Sorted, so that of files of one name the same is meant, in whatever order they come.
    sizes = dict(sorted(({path: len(data) for path, data in files.items()} | dict(unread or {})).items()))
    codes = [one.code for one in grounds]
    calls = tuple(call for code in codes for call in code.calls)
    shapes = tuple(schema for one in grounds for schema in schemas(one))
    named, run = _files(grounds, files_of(_called(name, pages.get(main)), sizes), bindings.paths(codes))
    facts = known(shapes, bindings.held(codes))
    return Skill(
        name=name, main=main, files=sizes, pages=pages, mode=mode(pages, main),
        hosts=hosts(name, pages.get(main), calls), tools=tools(pages[main].front) if main in pages else None,
        phases=way.phases, calls=calls, prompts=tuple(prompt for code in codes for prompt in code.prompts),
        repeats=tuple(repeat for code in codes for repeat in code.repeats),
        assignments=tuple(assignment for code in codes for assignment in code.assignments),
        references=named, artefacts=run,
        fields=tuple(use for one in grounds for use in _ordered(fields(one, facts), lambda use: use.at)),
        schemas=shapes, nested=nested, around=around,
    )  # fmt: skip


def _called(name: str, main: Page | None) -> str:
    """By what its paths call it: the name that it gives itself, where it says its own paths with that."""
    own = main.front.values.get("name") if main is not None and main.front is not None else None
    return own if isinstance(own, str) and own and main is not None and f"skills/{own}/" in main.text else name


def _nested(files: Iterable[str]) -> tuple[str, ...]:
    """Folders below that hold a SKILL.md of their own, the outermost."""
    found = sorted(dirname(path) for path in files if "/" in path and path.rsplit("/", 1)[1].lower() == MAIN.lower())
    return tuple(path for path in found if not any(path.startswith(other + "/") for other in found))


def _pages(files: Mapping[str, bytes], main: str, nested: tuple[str, ...]) -> dict[str, Page]:
    """SKILL.md first, then by their paths."""
    inner = tuple(folder + "/" for folder in nested)
    order = sorted((path for path in files if not path.startswith(inner)), key=lambda path: (path != main, path))
    return {path: page for path in order if (page := read_page(path, files[path])) is not None}


def _grounds(pages: Mapping[str, Page], way: Course) -> list[Ground]:
    grounds: list[Ground] = []
    shift = 0
    for path, code in joined({path: read_code(page) for path, page in pages.items()}, way).items():
        grounds.append(ground(pages[path], code, way, shift))
        shift += len(code.calls)
    return grounds


def _files(
    grounds: Iterable[Ground], own: Files, paths: Mapping[str, str]
) -> tuple[tuple[Reference, ...], tuple[Artefact, ...]]:
    """What the pages name: files of the skill, and of its run. What the run writes is no dead reference."""
    named: list[Reference] = []
    run: list[Artefact] = []
    told = run_of((mention.raw for one in grounds for mention in one.mentions), paths)
    for one in grounds:
        inside = _arguments(one)
        found = _ordered(references(one, own, _reading(inside), told.files), lambda reference: reference.at)
        sure = frozenset(r.at.start for r in found if r.resolved is not None or r.target.startswith("../"))
        named += found
        run += _ordered(artefacts(one, sure, inside, told), lambda artefact: artefact.at)
    dead = {(r.at.file, r.at.start): r.target for r in named if r.resolved is None and not r.outside}
    made = {dead.get((a.at.file, a.at.start)) for a in run if a.mode == "write"}
    return (
        tuple(r for r in named if dead.get((r.at.file, r.at.start)) not in made - {None}),
        tuple(a for a in run if (a.at.file, a.at.start) not in dead or dead[a.at.file, a.at.start] in made),
    )


def _arguments(one: Ground) -> dict[int, Called]:
    """By the position of a mention: the innermost call it is an argument of, with the indices of both."""
    found: dict[int, Called] = {}
    for index, call in enumerate(one.code.calls):
        for place, argument in enumerate(call.arguments):
            for mention in one.mentions_in(argument.at.start, argument.at.end):
                outer = found.get(mention.start)
                if outer is None or outer[1].at.start <= call.at.start:
                    found[mention.start] = (index, call, place)
    return found


def _reading(inside: Mapping[int, Called]) -> dict[int, str]:
    """Mentions that a call loads, with the call's name."""
    return {start: call.name for start, (_, call, place) in inside.items() if call.name in LOADERS and place == 0}


def _ordered(found: Iterable[T], at: Callable[[T], At]) -> list[T]:
    return sorted(found, key=lambda one: (at(one).start, at(one).end))
