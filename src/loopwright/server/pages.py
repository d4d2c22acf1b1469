"""The dashboard's page and its assets, as they were built into the package."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

WEB = files("loopwright.server") / "web"

router = APIRouter(include_in_schema=False)
assets = StaticFiles(directory=str(WEB / "assets"), check_dir=False)


@router.get("/")
async def page() -> FileResponse:
    """For everybody: it says how to get in where the API does not answer. A token in the address is the gate's."""
    return FileResponse(str(WEB / "index.html"), headers={"cache-control": "no-cache"})
