"""`serve`: the control plane and the dashboard."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from loopwright.core.errors import Invalid
from loopwright.surfaces.cli.options import HERE, Json
from loopwright.surfaces.cli.output import is_plain, print_answer


def serve(
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="Port (0: any free one).")
    ] = 8765,
    token: Annotated[
        str | None, typer.Option("--token", metavar="TOKEN", help="Required if others can reach the host.")
    ] = None,
    projects: Annotated[
        list[Path] | None, typer.Option("--project", metavar="DIR", help="Repeatable (default: the current folder).")
    ] = None,
    allowed: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="NAME", help="Another name of this server, such as a proxy's; repeatable."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Serve the dashboard and the HTTP API; loops run in their own processes."""
    from loopwright.projects import open_projects
    from loopwright.surfaces.server.app import create_app
    from loopwright.surfaces.server.gate import check_token, load_token
    from loopwright.surfaces.server.http_server import ListenAddress, bind_socket, serve_app
    from loopwright.surfaces.server.tokens import AuditLog, NamedTokens
    from loopwright.wiring.places import state_folder

    place = ListenAddress(host, port)
    if not place.is_local and token is None:
        raise Invalid(f"--host {host} can be reached by others: set a --token that only you know")
    named = NamedTokens(state_folder())
    named.entries()  # a file that is no good is told before anybody needs it
    with open_projects(projects or [HERE], actor="api") as opened:
        listening, place = bind_socket(place)
        known = check_token(token) if token is not None else load_token(state_folder())
        _log_to_stderr(as_json=json)
        url = place.url(known)
        folders = [{"name": name, "path": str(project.engine.project)} for name, project in opened.known.items()]
        print_answer(json, {"url": url, "projects": folders, "pid": os.getpid()}, _greeting(tuple(opened.known), url))
        sys.stdout.flush()
        rules = replace(place.rules(known, allowed or ()), named=named, audit=AuditLog(state_folder()))
        serve_app(create_app(opened, rules), listening)


def _greeting(projects: tuple[str, ...], url: str) -> str:
    """The one line that matters, in colours where there are any."""
    if is_plain():
        return f"loopwright serves {', '.join(projects)} at {url}"
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as said:
        console.print(Text.assemble(("loopwright", "bold"), f" serves {', '.join(projects)}"))
        console.print(Text.assemble("  open  ", (url, "bold cyan underline")), soft_wrap=True)
        console.print(Text("  Ctrl-C stops the server; loops keep running", "dim"))
    return said.get().rstrip("\n")


def _log_to_stderr(*, as_json: bool) -> None:
    """One line for each request that could not be answered, and for what the server does by itself."""
    import structlog

    written = structlog.processors.JSONRenderer() if as_json else structlog.processors.LogfmtRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            written,
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def mcp(
    projects: Annotated[
        list[Path] | None, typer.Option("--project", metavar="DIR", help="Repeatable (default: the current folder).")
    ] = None,
) -> None:
    """Let an agent or editor drive loops over MCP on stdin and stdout."""
    import asyncio

    from loopwright.projects import open_projects
    from loopwright.surfaces.mcp.control import serve_stdio

    with open_projects(projects or [HERE], actor="mcp") as opened:
        asyncio.run(serve_stdio(opened))
