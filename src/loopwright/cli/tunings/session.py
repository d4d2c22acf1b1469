"""One session of tuning, driven in this process until it ends; at each choice the person is asked."""

from typing import TYPE_CHECKING

from loopwright.cli.kinds import TUNINGS
from loopwright.cli.output import Told, remark, write
from loopwright.cli.tunings.showing import showing
from loopwright.domain.errors import Exit

if TYPE_CHECKING:
    from loopwright.cli.tunings.order import Order
    from loopwright.domain.tuning import TuningState
    from loopwright.ports import Rule
    from loopwright.wiring import Engine


def driven(engine: "Engine", id: str, order: "Order") -> "TuningState":
    """As it rests: ended, or with a choice that nobody is here for. Told where it was interrupted."""
    from loopwright.cli.tunings.choosing import chosen

    take_up: Rule[TuningState] = _as_it_is
    try:
        while True:
            state = _run(engine, id, take_up, order)
            if state.engine.waiting is None or not order.asks:
                return state
            take_up = _choosing(chosen(state))
    except KeyboardInterrupt:
        how = f"loopwright tune --tuning-id {id}{order.at}"
        if order.events:
            error = f"interrupted; {how}"
            write({"type": "interrupted", "success": False, TUNINGS.key: id, "error": error})
        else:
            remark(f"\nloopwright: interrupted; nothing is lost, take it up again with: {how}")
        raise Told(Exit.INTERRUPTED) from None


def _run(engine: "Engine", id: str, take_up: "Rule[TuningState]", order: "Order") -> "TuningState":
    from loopwright.cli.driving import drive_before

    with showing(order) as view:
        state: TuningState = drive_before(
            view, TUNINGS, engine, id, take_up, interactive=order.asks, launched=False
        )  # fmt: skip
    return state


def _as_it_is(state: "TuningState") -> "TuningState":
    return state


def _choosing(ids: tuple[str, ...]) -> "Rule[TuningState]":
    from loopwright.domain import tuning_commands as commands

    return lambda latest: commands.choose(latest, ids) if latest.engine.waiting else latest
