"""The control server over HTTP with nothing in front of it, as a process: `python -m tests.mcp.http_server FOLDER…`.

Prints its port once it listens.
"""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from loopwright.projects import open_projects
from loopwright.surfaces.mcp.control import ControlApp


def main() -> None:
    with open_projects([Path(folder) for folder in sys.argv[1:]], actor="api") as projects:
        control = ControlApp(projects)

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            async with control.running():
                yield

        app = Starlette(routes=[Route("/mcp", endpoint=control)], lifespan=lifespan)
        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    main()
