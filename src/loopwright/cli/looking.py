"""`list`, `show` and `diff`: what is there."""

from typing import TYPE_CHECKING, Annotated, get_args

import typer

from loopwright.cli.options import HERE, Json, LoopId, Project, elsewhere, opened
from loopwright.cli.output import answer, cells, is_plain, remark
from loopwright.domain.errors import Invalid, LoopwrightError, NewerSchema

if TYPE_CHECKING:
    from loopwright.cli.render import Damaged
    from loopwright.engine.service import LoopService

DAMAGED = "damaged"
"""Stands where a status would, for loops that can not be read."""


def list_loops(
    status: Annotated[str | None, typer.Option("--status", metavar="S", help="Only loops with this status.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0)] = 0,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only loops with this in id, title, description or a tag.")
    ] = "",
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the project's loops, the latest first."""
    from loopwright.cli.render import loop_table
    from loopwright.domain.loop import LoopStatus
    from loopwright.ports import Page

    wanted = next((s for s in get_args(LoopStatus) if s == status), None)
    if wanted != status and status != DAMAGED:
        raise Invalid(f"--status: no status {status!r} (there are: {', '.join((*get_args(LoopStatus), DAMAGED))})")
    with opened(project) as engine:
        service = engine.service
        page = (
            service.list(status=wanted, limit=limit, offset=offset, search=search) if status != DAMAGED else Page((), 0)
        )
        live = [state.status == "running" and service.is_live(state.loop_id) for state in page.items]
        damaged, now = _damaged(service, elsewhere(project)), service.clock.now()
    more = offset + len(page.items) < page.total
    broken = damaged if status in (None, DAMAGED) and offset == 0 and not search else []
    text = loop_table(list(zip(page.items, live, strict=True)), page.total, now, damaged=broken, cells=cells())
    if (status or search) and not (page.total or broken):
        text = f"no loop here {f'is {status}' if status else ''}{' and ' if status and search else ''}"
        text += f"holds {search!r}" if search else ""
    answer(
        json, page.items, text, total=page.total, limit=limit, offset=offset, hasMore=more,
        damaged=[{"loop_id": d.loop_id, "status": DAMAGED, "reason": d.reason, "next": d.remedy} for d in damaged],
    )  # fmt: skip


def _damaged(service: "LoopService", at: str) -> list["Damaged"]:
    """What can not be read, with the command that helps; a newer version's state is not damaged for that one."""
    from loopwright.cli.render import Damaged

    found = []
    for id, reason in sorted(service.damaged().items()):
        try:
            service.read(id)
        except NewerSchema as error:
            found.append(Damaged(id, str(error).removeprefix(f"loop {id}: "), None))
        except LoopwrightError:
            found.append(Damaged(id, reason.removeprefix(f"loop {id}: "), f"loopwright recover {id}{at}"))
    return found


def show(
    loop_id: LoopId,
    whole: Annotated[bool, typer.Option("--all", help="Every line of long lists.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show everything about a loop."""
    from loopwright.cli.render import loop_page

    with opened(project) as engine:
        state, live = engine.service.read(loop_id), engine.service.is_live(loop_id)
        now = engine.service.clock.now()
    page = loop_page(state, live=live, now=now, elsewhere=elsewhere(project), cells=cells(), whole=whole)
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
    from loopwright.cli.text import clean_lines, coloured

    with opened(project) as engine:
        text = engine.service.diff(loop_id, checkpoint)
    if not json and not text:
        remark("nothing has been changed")
    shown = clean_lines(text).rstrip("\n")
    answer(json, {"diff": text}, shown if is_plain() else coloured(shown))
