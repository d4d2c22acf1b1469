"""The agents as their lock file pins them, installed once for this machine and outside the tree."""

import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

HERE = Path(__file__).parent
PINS = ("package.json", "package-lock.json")
LIMIT = 280
"""Seconds for the download, about 0.9 GB; the suite's own limit for one test is 300."""


class NotInstalled(Exception):
    """Why there are no agents here, in one line."""


@cache
def node_modules() -> Path:
    """The folder the agents are in, filled by npm the first time. No install script is run. NotInstalled otherwise."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NotInstalled(f"{program} is not installed")
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PINS)).hexdigest()[:16]
    place = platformdirs.user_cache_path("loopwright-tests") / f"agents-{digest}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            folder = Path(scratch, "agents")
            folder.mkdir()
            _install(folder)
            try:
                folder.rename(place)
            except OSError:
                if not place.is_dir():  # else somebody was faster
                    raise
    return place / "node_modules"


def _install(folder: Path) -> None:
    _npm(folder)
    # opencode's own package makes its program by an install script; this is what the script would choose.
    program = Path("..", "opencode-linux-x64-baseline", "bin", "opencode")
    binaries = folder / "node_modules" / ".bin"
    if (binaries / program).exists():
        (binaries / "opencode").symlink_to(program)


def _npm(folder: Path) -> None:
    for name in PINS:
        shutil.copy(HERE / name, folder)
    # Not "npm ci": it refuses a lock without the optional packages of other platforms, and not every registry has them.
    command = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0")
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"npm took longer than {LIMIT} s") from None
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        raise NotInstalled(f"npm install failed: {told[0] if told else done.returncode}")
