"""The MCP server at /mcp, loaded when somebody asks for it first: that takes longer than all else of a start."""

import asyncio
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from loopwright.projects import Projects

if TYPE_CHECKING:
    from loopwright.mcp.control import ControlApp


class Tools:
    """An ASGI application for one path, answering while somebody `serve`s it."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._app: ControlApp | None = None
        self._wanted, self._ready = asyncio.Event(), asyncio.Event()

    async def serve(self) -> None:
        """Until it is cancelled."""
        await self._wanted.wait()
        self._app = await asyncio.to_thread(_loaded, self._projects)
        async with self._app.running():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        await self._ready.wait()
        assert self._app is not None
        await self._app(scope, receive, send)


def _loaded(projects: Projects) -> "ControlApp":
    from loopwright.mcp.control import ControlApp

    return ControlApp(projects)
