"""Runs that other machines drive, as commands show them: brought up to date before, and while one is followed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.surfaces.cli.options import open_project
from loopwright.surfaces.cli.output import print_remark

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.wiring import Engine
    from loopwright.wiring.fleet.mirror import FleetMirror

ANSWER_SECONDS = 2.0
"""That the fleet may take before what is here is shown."""

UNKNOWN = "how it is there is not known"


@contextmanager
def open_mirrored(project: Path, *, follow: str | None = None) -> "Iterator[Engine]":
    """As `open_project`, with what the fleet has of its runs; until the end, where a run is named to `follow`."""
    with open_project(project) as engine:
        mirror = engine.mirror()
        if mirror is None:
            yield engine
            return
        _bring(mirror)
        if follow is not None and mirror.has(follow):
            with mirror.following(follow, lambda words: print_remark(f"loopwright: {words}")):
                yield engine
        else:
            yield engine


def _bring(mirror: "FleetMirror") -> None:
    from loopwright.core.errors import Invalid, StoreError

    try:
        mirror.look(ANSWER_SECONDS)
    except (StoreError, Invalid) as error:
        print_remark(f"loopwright: {error}; what is shown of runs in the fleet is what was here already")
    for id, words in mirror.troubles.items():
        print_remark(f"loopwright: {id} is not up to date: {words}")


def place_words(service: "RunService[Any]", id: str) -> str | None:  # Any: states of its kind
    """Where a run is that others drive, in half a sentence."""
    found = service.in_fleet(id)
    return found.words if found else UNKNOWN if service.is_elsewhere(id) else None


def place_fields(service: "RunService[Any]", id: str) -> Mapping[str, Any]:  # Any: as above; JSON
    """`fleet`, where it is there and known."""
    found = service.in_fleet(id)
    return {"fleet": found.fields} if found else {}
