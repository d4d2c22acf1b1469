"""`mcp`: loops for agents and editors that speak the Model Context Protocol."""

from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.options import HERE


def mcp(
    projects: Annotated[
        list[Path] | None, typer.Option("--project", metavar="DIR", help="May be repeated (default: this folder).")
    ] = None,
) -> None:
    """Let an agent or an editor drive loops, over MCP on stdin and stdout."""
    import asyncio

    from loopwright.mcp.control import serve_stdio
    from loopwright.projects import open_projects

    with open_projects(projects or [HERE], actor="mcp") as opened:
        asyncio.run(serve_stdio(opened))
