"""The dashboard's page and its assets, as they were built into the package."""

from importlib.resources import files
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from loopwright.server.gate import COOKIE

YEAR = 365 * 24 * 3600
WEB = files("loopwright.server") / "web"

router = APIRouter(include_in_schema=False)
assets = StaticFiles(directory=str(WEB / "assets"), check_dir=False)


@router.get("/")
async def page(request: Request) -> Response:
    """With a token in the address: keeps it as a cookie, and shows the address without it."""
    token = request.query_params.get("token")
    if token is None:
        return FileResponse(str(WEB / "index.html"), headers={"cache-control": "no-cache"})
    rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != "token"]
    answer = RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", 303)
    answer.set_cookie(COOKIE, token, max_age=YEAR, httponly=True, samesite="strict", path="/")
    return answer
