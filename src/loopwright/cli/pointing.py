"""An id of another kind than the command's is told what is right for it."""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.cli.kinds import KINDS, AnyKind
from loopwright.cli.options import HERE, opened
from loopwright.domain.errors import LoopwrightError, NotFound

if TYPE_CHECKING:
    from loopwright.wiring import Engine


def pointing(
    name: str, command: Callable[..., None], kind: AnyKind, commands: Mapping[AnyKind, Collection[str]]
) -> Callable[..., None]:
    """The command `name`; an id of another kind that it is given is told what is right for that.

    `commands`: those of each kind.
    """

    @wraps(command)
    def called(**values: Any) -> None:  # Any: whatever the command takes
        try:
            command(**values)
        except NotFound:
            id = values.get("id") or values.get(kind.key)
            other = _kind_of(id, values.get("project", HERE)) if isinstance(id, str) else None
            if other in (None, kind):
                raise
            right = _right(other, name, str(id), commands[other])
            raise NotFound(f"{id} is a {other.name}, not a {kind.name}: {right}") from None

    return called


def _kind_of(id: str, project: Path) -> AnyKind | None:
    """Also where it can not be read."""
    with opened(project) as engine:
        return next((kind for kind in KINDS if _is_there(kind, engine, id)), None)


def _is_there(kind: AnyKind, engine: "Engine", id: str) -> bool:
    service = kind.service(engine)
    try:
        return bool(service.read(id))
    except LoopwrightError:
        return id in service.damaged()


def _right(kind: AnyKind, name: str, id: str, known: Collection[str]) -> str:
    if name in ("run", "tune"):
        return f"{kind.again} {id}"
    return f"{kind.line} {name} {id}" if name in known else f"see {kind.line} --help"
