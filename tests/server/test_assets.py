"""The dashboard in the package is what its source in web/ says, byte for byte."""

import gzip
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
BUILT = ROOT / "src" / "loopwright" / "surfaces" / "server" / "web"
SOURCES = (
    "package.json", "package-lock.json", ".npmrc", "index.html", "tsconfig.json", "vite.config.ts", "tools", "src",
)  # fmt: skip
NO_NETWORK = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[13]|network")
LARGEST = 160_000
"""Bytes of all assets, compressed."""

pytestmark = pytest.mark.skipif(not WEB.is_dir(), reason="only a checkout has the dashboard's source")


def test_the_assets_are_built_from_this_source() -> None:
    manifest = orjson.loads((WEB / "built.json").read_bytes())
    assert digests(WEB, SOURCES) == manifest["sources"], "web/ has changed since it was built: make web"


def test_nobody_changed_the_assets_by_hand() -> None:
    manifest = orjson.loads((WEB / "built.json").read_bytes())
    assert digests(BUILT, ("",)) == manifest["built"], "the built dashboard is not what was built: make web"


@pytest.mark.parametrize(
    ("kind", "file"), [("loop", "state.gen.ts"), ("cycle", "cycle.gen.ts"), ("tuning", "tuning.gen.ts")]
)
def test_the_pages_types_are_those_of_the_state(kind: str, file: str) -> None:
    schema = subprocess.run([sys.executable, "-m", "loopwright", "schema", kind], capture_output=True, check=True)
    types = (WEB / "src" / "api" / file).read_text()
    digest = hashlib.sha256(schema.stdout).hexdigest()
    assert f"schema sha256: {digest}" in types, f"a {kind}'s fields have changed: npm run types in web/, then make web"


def test_the_page_asks_nobody_else_and_has_nothing_inline() -> None:
    page = (BUILT / "index.html").read_text()
    assert not re.search(r"https?://|<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", page)
    for name in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert name.startswith("/assets/"), name
        assert (BUILT / name[1:]).is_file(), name


def test_the_page_is_light() -> None:
    weights = {path.name: _compressed(path) for path in (BUILT / "assets").iterdir()}
    assert sum(weights.values()) < LARGEST, weights


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing; the manifest is checked all the same")
    copy = tmp_path / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules", "*.test.ts"))
    _npm(npm, copy, "ci", "--omit=dev", "--prefer-offline")
    _npm(npm, copy, "run", "build")
    again = tmp_path / "src" / "loopwright" / "surfaces" / "server" / "web"
    assert digests(again, ("",)) == digests(BUILT, ("",))
    assert (copy / "built.json").read_bytes() == (WEB / "built.json").read_bytes()


def digests(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """SHA-256 of every file below these names, as the build's own manifest has it."""
    found = {}
    for name in names:
        place = folder / name
        for path in [place] if place.is_file() else place.rglob("*"):
            if path.is_file() and not path.name.endswith(".test.ts"):
                found[path.relative_to(folder).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _compressed(path: Path) -> int:

    return len(gzip.compress(path.read_bytes()))


def _npm(npm: str, folder: Path, *words: str) -> None:
    done = subprocess.run([npm, *words], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode and words[0] == "ci" and NO_NETWORK.search(done.stderr):
        pytest.skip(f"npm cannot reach its registry: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
