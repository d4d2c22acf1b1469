"""`doctor`: what is installed, what works, and what a run would execute."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, elsewhere
from loopwright.cli.output import cells, refuse, remark, write
from loopwright.domain.errors import Exit

if TYPE_CHECKING:
    from loopwright.checkup import Checkup
    from loopwright.wiring import Means


def doctor(
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Look at this agent alone; exit code 7 if it fails.")
    ] = None,
    probing: Annotated[
        bool | None,
        typer.Option("--probe/--no-probe", help="Start the agents, to see what they can do.", show_default=False),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what is installed, what works, and what a run would execute."""
    import asyncio
    from dataclasses import asdict

    from loopwright.cli.checkup_page import checkup_page
    from loopwright.wiring import means

    try:
        found = asyncio.run(_found(means(project, {}), agent, probing))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    fails = agent is not None and found.chosen_fails
    if json:
        write({"success": not fails, "data": asdict(found), **({"error": found.problems[0]} if fails else {})})
    else:
        print("\n".join(checkup_page(found, cells(), elsewhere(project))))
    if fails:
        if not json:
            refuse(False, found.problems[0])
        raise typer.Exit(Exit.NO_AGENT)


async def _found(means: "Means", agent: str | None, probing: bool | None) -> "Checkup":
    from loopwright.checkup import check_up
    from loopwright.cli.driving import end_on_signals

    end_on_signals()
    return await check_up(means, only=agent, probing=probing, tell=lambda words: remark(f"({words})"))
