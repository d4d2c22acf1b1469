"""What is built and installed serves the whole dashboard, where there is neither Node nor the source."""

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.served import ROOT, Served
from tests.wheels import built_wheel

WEB = "loopwright/surfaces/server/web/"
SUFFIXES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, in an environment of its own; what it depends on is borrowed from ours."""
    place = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True, timeout=60)
    python = str(place / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install"]
    uv = ["uv", "pip", "install", "--python", python]
    install = [*(pip if find_spec("pip") else uv), "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, timeout=60, stdout=subprocess.DEVNULL)
    libraries = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    (libraries / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin" / "loopwright"


def test_it_holds_the_built_page_and_nothing_it_was_built_from(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    page = {name.removeprefix(WEB) for name in names if name.startswith(WEB)}
    here = ROOT / "src" / WEB
    assert page == {str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()}
    assert "index.html" in page
    assert not [name for name in names if "node_modules" in name or name.endswith((".ts", ".tsx", ".map"))]
    assert {name.split("/")[0] for name in names} == {"loopwright", wheel.name.rpartition("-py3")[0] + ".dist-info"}


def test_it_serves_the_whole_page(wheel: Path, installed: Path, server: Served, visit: Visit) -> None:
    git = shutil.which("git")
    assert git is not None
    tools = server.folder / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(git)
    server.command = (str(installed),)
    server.variables = {"PATH": str(tools), "PYTHONPATH": ""}
    server.project("tests/samples/healthy")
    server.start()
    for name in zipfile.ZipFile(wheel).namelist():
        asset = name.removeprefix(WEB)
        if asset != name and (asset == "index.html" or asset.startswith("assets/")):
            kind, body = fetched(server, "" if asset == "index.html" else asset)
            assert kind == SUFFIXES[Path(asset).suffix]
            assert body == zipfile.ZipFile(wheel).read(name), asset
    anna = visit()
    expect(anna.page.get_by_role("heading", level=1)).to_be_visible()


def fetched(server: Served, path: str) -> tuple[str, bytes]:
    """Content type and body."""
    request = Request(f"{server.origin}/{path}", headers={"authorization": f"Bearer {server.token}"})
    with urlopen(request, timeout=10) as answer:
        return answer.headers.get_content_type(), answer.read()
