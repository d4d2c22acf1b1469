"""`serve`: the control plane and the dashboard."""

from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.options import HERE
from loopwright.cli.output import remark
from loopwright.domain.errors import Invalid


def serve(
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="0: any free one.")] = 8765,
    token: Annotated[
        str | None, typer.Option("--token", metavar="TOKEN", help="Needed for hosts that others reach.")
    ] = None,
    projects: Annotated[
        list[Path] | None, typer.Option("--project", metavar="DIR", help="May be repeated (default: this folder).")
    ] = None,
) -> None:
    """Serve the dashboard and the HTTP API; loops run in processes of their own."""
    from loopwright.engine.supervisor import resume_all
    from loopwright.projects import open_projects
    from loopwright.server.app import create_app
    from loopwright.server.running import Place, bound
    from loopwright.server.running import serve as answer_requests
    from loopwright.server.token import checked_token, kept_token
    from loopwright.wiring import state_folder

    place = Place(host, port)
    if not place.is_local and token is None:
        raise Invalid(f"--host {host} can be reached by others: it needs a --token that only you know")
    with open_projects(projects or [HERE], actor="api") as opened:
        listening, place = bound(place)
        known = checked_token(token) if token is not None else kept_token(state_folder())
        for project in opened.known.values():
            service = project.engine.service
            for taken in resume_all(service, service.clock.now()):
                remark(f"{taken.loop_id} {'resumed' if taken.problem is None else f'not resumed: {taken.problem}'}")
        print(f"loopwright serves {', '.join(opened.known)} at {place.url(known)}", flush=True)
        answer_requests(create_app(opened, place.rules(known)), listening)
