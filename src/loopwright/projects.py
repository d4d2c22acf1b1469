"""Several projects in one process: opened together, and a loop found in whichever has it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.run import R
from loopwright.core.run_commands import Changes, RunService
from loopwright.wiring import Engine, open_engine

REMEMBERED = 4096
"""Pairs of checkpoints."""


@dataclass(frozen=True)
class Project:
    """`name` is what people and `?project=` call it."""

    name: str
    engine: Engine

    @cached_property
    def changes(self) -> Changes:
        """What is between two commits of the private repository, asked of git once."""
        return lru_cache(REMEMBERED)(self.engine.service.workspace.changes)


@dataclass(frozen=True)
class Projects:
    """By name, in the order in which they were given; the first is the default."""

    known: Mapping[str, Project]

    def named(self, name: str | None = None) -> Project:
        """The project of that name, or the first. NotFound names those there are."""
        if name is None:
            return next(iter(self.known.values()))
        if name not in self.known:
            raise NotFound(f"Project not found: {name} (available: {', '.join(self.known)})")
        return self.known[name]

    def of_run(self, id: str, service: Callable[[Project], RunService[R]], name: str | None = None) -> Project:
        """Where it lives, of the kind that these services are for.

        NotFound; Conflict where several have one of that id and none was named.
        """
        if name is not None or len(self.known) == 1:
            return self.named(name)
        found = [project for project in self.known.values() if _has(service(project), id)]
        if len(found) == 1:
            return found[0]
        kind = service(self.named()).kind
        if not found:
            raise NotFound(f"{kind.capitalize()} not found: {id}")
        places = ", ".join(project.name for project in found)
        raise Conflict(f"several projects have a {kind} {id} ({places}); name the project")


def _has(service: RunService[R], id: str) -> bool:
    """Also where it cannot be read: whoever reads it is told so."""
    try:
        return id in service.damaged() or bool(service.read(id))
    except NotFound:
        return False


@contextmanager
def open_projects(folders: Sequence[Path], *, actor: str) -> Iterator[Projects]:
    """The engines of all these projects, for callers over HTTP and MCP. NotFound, Invalid."""
    with ExitStack() as stack:
        known: dict[str, Project] = {}
        roots: set[Path] = set()
        for folder in folders:
            engine = stack.enter_context(open_engine(folder, {}, actor=actor, fenced=True))
            if engine.project in roots:
                raise Invalid(f"the project {engine.project} was given twice")
            roots.add(engine.project)
            name = _free_name(engine.project, known)
            known[name] = Project(name, engine)
        yield Projects(known)


def _free_name(root: Path, known: Mapping[str, Project]) -> str:
    """The folder's name; with a number where another project has the same."""
    name = root.name or "root"
    return next(free for n in range(1, len(known) + 2) if (free := name if n == 1 else f"{name}-{n}") not in known)
