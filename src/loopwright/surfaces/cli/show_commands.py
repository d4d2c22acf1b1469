"""`list`, `show` and `diff`: what is there."""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import Invalid, LoopwrightError, NewerSchema, NotFound
from loopwright.surfaces.cli.attempts import show_attempts
from loopwright.surfaces.cli.kinds import KINDS, LOOPS, AnyKind, Id, LoopId
from loopwright.surfaces.cli.mirror import open_mirrored, place_fields, place_words
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project, project_option
from loopwright.surfaces.cli.output import count_cells, format_answer, is_plain, print_answer, print_remark
from loopwright.surfaces.cli.text import DAMAGED, fill_ages

if TYPE_CHECKING:
    from loopwright.surfaces.cli.run_rendering import DamagedRun
    from loopwright.wiring import Engine


def list_all(
    kind: AnyKind,
    status: Annotated[str | None, typer.Option("--status", metavar="S", help="Only with this status.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0)] = 0,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only with this in id, title, description or a tag.")
    ] = "",
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the project's loops, latest first."""
    from loopwright.core.ports import Page
    from loopwright.surfaces.cli.kept_answers import AnswerKeeper

    if status not in (None, *kind.run_kind.statuses, DAMAGED):
        raise Invalid(f"--status: no status {status!r} (available: {', '.join((*kind.run_kind.statuses, DAMAGED))})")
    keeper = AnswerKeeper(project)
    with open_mirrored(project) as engine:
        service = kind.service(engine)
        keeper.open(kind.name, engine.project)
        page = (
            Page((), 0) if status == DAMAGED else service.list(status=status, limit=limit, offset=offset, search=search)
        )
        live = {kind.id_of(s): service.is_live(kind.id_of(s)) for s in page.items if s.status == "running"}
        found = {id: service.in_fleet(id) for s in page.items if service.is_elsewhere(id := kind.id_of(s))}
        damaged, now = _damaged(kind, engine, project_option(project)), service.clock.now()
    more = offset + len(page.items) < page.total
    broken = damaged if status in (None, DAMAGED) and offset == 0 and not search else []
    text = kind.rendering.table(
        [(state, live.get(kind.id_of(state), False)) for state in page.items],
        page.total,
        damaged=broken,
        cells=count_cells(),
        places={id: place.status if place else "unknown" for id, place in found.items()},
    )
    if (status or search) and not (page.total or broken):
        text = f"no {kind.name} here {f'is {status}' if status else ''}{' and ' if status and search else ''}"
        text += f"holds {search!r}" if search else ""
    answer = format_answer(
        json,
        page.items,
        text,
        total=page.total,
        limit=limit,
        offset=offset,
        hasMore=more,
        **({"fleet": {id: place and place.fields for id, place in found.items()}} if found else {}),
        damaged=[{kind.key: d.id, "status": DAMAGED, "reason": d.reason, "next": d.remedy} for d in damaged],
    )
    print(answer if json else fill_ages(answer, now))
    keeper.keep_list(answer, live, is_json=json)


def _damaged(kind: AnyKind, engine: "Engine", at: str) -> list["DamagedRun"]:
    """What cannot be read, with the command that helps; a newer version's state is not damaged for that one."""
    from loopwright.surfaces.cli.run_rendering import DamagedRun

    found, service = [], kind.service(engine)
    for id, reason in sorted(service.damaged().items()):
        try:
            service.read(id)
        except NewerSchema as error:
            found.append(DamagedRun(id, str(error).removeprefix(f"{kind.name} {id}: "), None))
        except LoopwrightError:
            found.append(DamagedRun(id, reason.removeprefix(f"{kind.name} {id}: "), f"{kind.line} recover {id}{at}"))
    return found


def show(
    kind: AnyKind,
    id: Id,
    whole: Annotated[bool, typer.Option("--all", help="Show long lists in full.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show everything about a loop."""
    from loopwright.surfaces.cli.kept_answers import AnswerKeeper

    keeper = AnswerKeeper(project)
    with open_mirrored(project) as engine:
        service = kind.service(engine)
        keeper.open(kind.name, engine.project, id)
        state, live = service.read(id), service.is_live(id)
        place, more = place_words(service, id), place_fields(service, id)
        now = service.clock.now()
        attempts = show_attempts(engine, id, project_option(project)) if kind is LOOPS else None
    at = project_option(project)
    page = kind.rendering.page(state, live=live, elsewhere=at, cells=count_cells(), whole=whole, place=place)
    if attempts:
        print_answer(
            json, state, fill_ages(f"{attempts.page}\n\n{page}", now), live=live, attempts=attempts.data, **more
        )
        return
    answer = format_answer(json, state, page, live=live, **more)
    print(answer if json else fill_ages(answer, now))
    keeper.keep_page(answer, state, live, is_json=json)


def diff(
    loop_id: LoopId,
    checkpoint: Annotated[
        int | None, typer.Option("--checkpoint", metavar="N", help="Only what led to this checkpoint.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a loop has changed in the project."""
    with open_mirrored(project) as engine:
        if engine.service.is_elsewhere(loop_id):
            from loopwright.wiring.fleet.runs import fetch_checkpoints

            fetch_checkpoints(engine, engine.service, loop_id)
        text = engine.service.diff(loop_id, checkpoint)
    show_diff(text, json)


def show_diff(text: str, json: bool) -> None:
    from loopwright.surfaces.cli.text import clean_lines, colour_diff

    if not json and not text:
        print_remark("nothing has been changed")
    shown = clean_lines(text).rstrip("\n")
    print_answer(json, {"diff": text}, shown if is_plain() else colour_diff(shown))


def redirect_kind(
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
    """Also where it cannot be read."""
    with open_project(project) as engine:
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
