"""A real `loopwright serve` on projects of its own, with everything that it starts."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import orjson

from tests.real_command import COMMAND, having
from tests.waiting import until
from tests.warm import run_command

ROOT = Path(__file__).parents[2]
MARK = "LOOPWRIGHT_BROWSER_TEST"
"""In the environment of the server and of whatever comes from it."""
URL = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)")


@dataclass
class Served:
    """`projects` are folders below `folder`, which holds the home directory as well. `command` is how it is called."""

    folder: Path
    projects: list[Path] = field(default_factory=list)
    mark: str = field(default_factory=lambda: uuid4().hex)
    port: int = 0
    token: str = ""
    command: tuple[str, ...] = COMMAND
    variables: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """As it is printed, for whoever comes for the first time."""
        return f"{self.origin}/?token={self.token}"

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LOOPWRIGHT_", "XDG_"))}
        return {**kept, "HOME": str(home), "NO_COLOR": "1", MARK: self.mark, **self.variables}

    def project(self, sample: str = "", name: str = "") -> Path:
        """Adds a copy of a sample or an example, or an empty folder; before the server is started."""
        place = self.folder / (name or Path(sample).name or "project")
        if sample:
            shutil.copytree(ROOT / sample, place, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        else:
            place.mkdir()
        self.projects.append(place)
        return place

    def start(self) -> None:
        """Returns once it answers; the second time on the same port."""
        named = [word for place in self.projects for word in ("--project", str(place))]
        output = self.folder / "serve.log"
        before = len(output.read_bytes()) if output.exists() else 0
        with output.open("ab") as file:
            self.process = subprocess.Popen(
                [*self.command, "serve", "--port", str(self.port), *named],
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                env=self.environment, cwd=self.folder, start_new_session=True,
            )  # fmt: skip
        until(lambda: self._is_up(output, before))

    def _is_up(self, output: Path, before: int) -> bool:
        printed = output.read_bytes()[before:].decode()
        assert self.process is not None
        assert self.process.poll() is None, printed
        if (found := URL.search(printed)) is None:
            return False
        self.port, self.token = int(found[1]), found[2]
        return True

    def kill(self) -> None:
        """-9: the server alone."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def call(self, *words: str, project: Path | None = None) -> dict[str, object]:
        """A command of this source in a terminal: what it printed with --json."""
        words = (*words, "--project", str(project or self.projects[0]), "--json")
        done = run_command(words, cwd=Path.cwd(), env=self.environment, seconds=60)
        assert done.returncode == 0, (words, done.stdout[-500:], done.stderr)
        printed: dict[str, object] = orjson.loads(done.stdout.splitlines()[-1])
        return printed

    def end(self) -> None:
        """Ends all that carries the mark, until nobody is left."""
        until(self._are_gone)
        if self.process is not None:
            self.process.wait()

    def _are_gone(self) -> bool:
        if self.process is not None:
            self.process.poll()
        left = list(having(f"{MARK}={self.mark}"))
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return not left


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Not started yet. What it started is gone at the end."""
    server = Served(folder)
    try:
        yield server
    finally:
        server.end()
