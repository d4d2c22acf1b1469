"""Options and arguments of the commands on cycles alone."""

from typing import Annotated, Any

import typer

from loopwright.cli.options import SETTINGS, Given

CYCLE_ONLY: dict[str, Any] = {  # Any: types with a typer.Option
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Limit of iterations (default: 5).")
    ],
    "parallel": Annotated[
        int | None, typer.Option("--parallel", metavar="N", help="Agents at work at once, 1 to 4 (default: 2).")
    ],
    "roles": Annotated[
        list[str] | None,
        typer.Option("--role", metavar="ROLE=NAME", help="Who plays ra, ep, cd or vas, as in cd=codex; repeatable."),
    ],
}
"""Options that are settings of [cycle]."""

CYCLE_SETTINGS: dict[str, Any] = {"agent": SETTINGS["agent"], **CYCLE_ONLY, **{
    name: option for name, option in SETTINGS.items() if name not in ("agent", *CYCLE_ONLY)
}}  # fmt: skip
"""Options of `cycle run` and `cycle create`: each is the setting of the same name."""

CYCLE_FIELDS: dict[str, Any] = {
    "title": Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Name of the cycle.")],
    "max_iterations": CYCLE_ONLY["max_iterations"],
}
"""Options of `cycle edit`: each is the cycle's field of the same name."""


def flags(given: Given) -> Given:
    """What was typed, as the settings want it: those of cycles in their own table."""
    of_cycles = {name: value for name, value in given.items() if name in CYCLE_ONLY}
    return {**{name: value for name, value in given.items() if name not in CYCLE_ONLY}, "cycle": of_cycles}
