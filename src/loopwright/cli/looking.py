"""`list`, `show` and `diff`: what is there."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.kinds import AnyKind, Id, LoopId
from loopwright.cli.options import HERE, Json, Project, elsewhere, opened
from loopwright.cli.output import answer, cells, is_plain, remark
from loopwright.domain.errors import Invalid, LoopwrightError, NewerSchema

if TYPE_CHECKING:
    from loopwright.cli.parts import Damaged
    from loopwright.wiring import Engine

DAMAGED = "damaged"
"""Stands where a status would, for what can not be read."""


def list_all(
    kind: AnyKind,
    status: Annotated[str | None, typer.Option("--status", metavar="S", help="Only those with this status.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0)] = 0,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only those with this in id, title, description or a tag.")
    ] = "",
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the project's loops, the latest first."""
    from loopwright.ports import Page

    if status not in (None, *kind.statuses(), DAMAGED):
        raise Invalid(f"--status: no status {status!r} (there are: {', '.join((*kind.statuses(), DAMAGED))})")
    with opened(project) as engine:
        service = kind.service(engine)
        page = (
            Page((), 0) if status == DAMAGED else service.list(status=status, limit=limit, offset=offset, search=search)
        )
        live = [state.status == "running" and service.is_live(kind.id_of(state)) for state in page.items]
        damaged, now = _damaged(kind, engine, elsewhere(project)), service.clock.now()
    more = offset + len(page.items) < page.total
    broken = damaged if status in (None, DAMAGED) and offset == 0 and not search else []
    text = kind.table(list(zip(page.items, live, strict=True)), page.total, now, damaged=broken, cells=cells())
    if (status or search) and not (page.total or broken):
        text = f"no {kind.name} here {f'is {status}' if status else ''}{' and ' if status and search else ''}"
        text += f"holds {search!r}" if search else ""
    answer(
        json, page.items, text, total=page.total, limit=limit, offset=offset, hasMore=more,
        damaged=[{kind.key: d.id, "status": DAMAGED, "reason": d.reason, "next": d.remedy} for d in damaged],
    )  # fmt: skip


def _damaged(kind: AnyKind, engine: "Engine", at: str) -> list["Damaged"]:
    """What can not be read, with the command that helps; a newer version's state is not damaged for that one."""
    from loopwright.cli.parts import Damaged

    found, service = [], kind.service(engine)
    for id, reason in sorted(service.damaged().items()):
        try:
            service.read(id)
        except NewerSchema as error:
            found.append(Damaged(id, str(error).removeprefix(f"{kind.name} {id}: "), None))
        except LoopwrightError:
            found.append(Damaged(id, reason.removeprefix(f"{kind.name} {id}: "), f"{kind.line} recover {id}{at}"))
    return found


def show(
    kind: AnyKind,
    id: Id,
    whole: Annotated[bool, typer.Option("--all", help="Every line of long lists.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show everything about a loop."""
    with opened(project) as engine:
        service = kind.service(engine)
        state, live = service.read(id), service.is_live(id)
        now = service.clock.now()
    page = kind.page(state, live=live, now=now, elsewhere=elsewhere(project), cells=cells(), whole=whole)
    answer(json, state, page, live=live)


def diff(
    loop_id: LoopId,
    checkpoint: Annotated[
        int | None, typer.Option("--checkpoint", metavar="N", help="Only what led to this one.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a loop has changed in the project."""
    with opened(project) as engine:
        text = engine.service.diff(loop_id, checkpoint)
    show_diff(text, json)


def show_diff(text: str, json: bool) -> None:
    from loopwright.cli.text import clean_lines, coloured

    if not json and not text:
        remark("nothing has been changed")
    shown = clean_lines(text).rstrip("\n")
    answer(json, {"diff": text}, shown if is_plain() else coloured(shown))
