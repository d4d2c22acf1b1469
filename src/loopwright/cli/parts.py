"""What the pages and tables of loops and cycles are made of. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.cli.ending import LABEL, some
from loopwright.cli.ending import spent_words as spent_words
from loopwright.cli.text import clean, columns, cut, fold, local, short, width
from loopwright.domain.engine_state import PermissionRequest, RunState
from loopwright.domain.pausing import Pause, pause_of
from loopwright.domain.permissions import request_words
from loopwright.domain.run import Run
from loopwright.domain.words import agreeing, plural

TITLE_CELLS = 44
WORDS_CELLS = 300
"""What an agent wrote is cut there: nobody reads on, and it must not push the rest off the screen."""
EVERYTHING = 1_000_000

PAUSES: dict[Pause, str] = {
    "question": "asks", "settling": "asks", "limit": "limit", "task": "task failed", "request": "on request",
}  # fmt: skip


class Damaged(NamedTuple):
    """What can not be read: why, and the command that helps, if there is one."""

    id: str
    reason: str
    remedy: str | None


class Table(NamedTuple):
    """How a list is laid out: `head` of the columns; the last one may be cut, `facts` say the others in a line.

    `name` is what one of them is called, `none` what is said where there is none.
    """

    name: str
    head: tuple[str, ...]
    facts: str
    none: str


def listed(table: Table, rows: Sequence[tuple[str, ...]], total: int, damaged: Sequence[Damaged], cells: int) -> str:
    """One line each, or on narrow terminals a few. What is damaged stands below, with what helps."""
    if not rows and not damaged:
        return f"no more {table.name}s; {agreeing(total, 'there is')} {total:,}" if total else table.none
    blank = ("-",) * (len(table.head) - 3)
    all_rows = [*rows, *((d.id, "damaged", *blank, "can not be read, see below") for d in damaged)]
    if width(columns([table.head, *[(*row[:-1], "TITLE") for row in all_rows]])[0]) > cells:
        lines = [line for row in all_rows for line in _stacked(table, row, cells)]
    else:
        lines = [cut(line, cells) for line in columns([table.head, *all_rows])]
    if total > len(rows):
        lines.append(f"{len(rows):,} of {plural(total, table.name)}; see --limit and --offset")
    for d in damaged:
        lines += ["", *fold(f"{d.id} is damaged: {clean(d.reason)}", cells)]
        lines += [LABEL.format("next", d.remedy)] if d.remedy else []
    return "\n".join(lines)


def _stacked(table: Table, row: Sequence[str], cells: int) -> list[str]:
    """The id, below it what is known."""
    id, status, *known, title = row
    facts = status if status == "damaged" else table.facts.format(status, *known)
    return [id, *fold(f"  {facts}", cells), *fold(f"  {title}", cells)]


def status_words(state: Run, *, live: bool, asks: bool = False) -> str:
    """The status, and in brackets what one has to know about it; `asks`: for something of its kind."""
    engine = state.engine
    beside = {
        "running": ("asks" if engine.asked or engine.waiting or asks else None) if live else "no runner",
        "paused": PAUSES[pause_of(state) or "request"],
        "completed": None if engine.outcome == "succeeded" else engine.outcome,
        "failed": None if engine.outcome == "failed" else engine.outcome,
    }.get(state.status)
    return f"{state.status} ({beside})" if beside else state.status


def recovery_page(id: str, restored: str, repairs: Sequence[str], kept: Sequence[Path], following: str) -> str:
    """What was brought back and from where, and which damaged files were put aside; `following`: what to type next."""
    if not repairs:
        lines = [f"{id} is not damaged; nothing was changed"]
    else:
        lines = [f"{id} can be read again"]
        lines += [LABEL.format("from" if not i else "", words) for i, words in enumerate(repairs)]
        lines.append(LABEL.format("restored", restored))
    lines += [LABEL.format("put aside" if not i else "", path) for i, path in enumerate(kept)]
    return "\n".join([*lines, LABEL.format("next", following)])


def requests(engine: RunState, live: bool, most: int) -> Iterator[str]:
    """What an agent waits for; what a dead runner has asked nobody waits for."""
    asked = engine.asked if live else ()
    if asked:
        yield from ("", "Asks for permission")
        yield from (f"  {line}" for line in some(asked, _request, most=most))


def _request(request: PermissionRequest) -> str:
    answered = f" ({request.answer})" if request.answer else ""
    because = f"; {short(request.reason, WORDS_CELLS)}" if request.reason else ""
    return f"{request.id}{answered}  {short(request_words(request), WORDS_CELLS)}{because}"


def kept(engine: RunState, most: int) -> Iterator[str]:
    """Checkpoints and incidents, the latest ones."""
    checkpoints, incidents = engine.checkpoints, engine.incidents
    if checkpoints:
        yield from ("", "Checkpoints", *_earlier(len(checkpoints), most))
        yield from columns([(f"  {c.n}", local(c.at, "%H:%M:%S"), clean(c.action)) for c in checkpoints[-most:]])
    if incidents:
        yield from ("", "Incidents", *_earlier(len(incidents), most))
        for i in incidents[-most:]:
            yield f"  {local(i.at)} {clean(i.kind)}: {clean(i.message)}"


def _earlier(count: int, most: int) -> tuple[str, ...]:
    """How many are left out before the latest."""
    return (f"  … and {count - most:,} earlier",) if count > most else ()
