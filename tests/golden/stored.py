"""Projects that were stored by some version, packed with what their commands told then, and laid out anew.

Some states hold the path of their project, and checkpoints lie in a folder that is named after it. So a project is
stored at a path of a known length, and laid out at another one of the same length: then nothing moves in its files but
that path and the sums over it.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loopwright.surfaces.cli.main import main
from tests.real_command import carrying
from tests.warm import run_command

Json = Any  # Any: parsed JSON

FOLDER = Path(__file__).parent / "runs"
LENGTH = 180
"""Characters in the path of each place."""
PLACE, HASH = "{place}", "{hash}"
"""Stand for the path of the place, and for what the names of its private folders hold of it."""
CONTRACT = "contract.json"
TOOLS = ("git", "bash", "sh", "grep", "sleep", "touch")
"""All that commands find: without Python, what is remembered of the environment is small."""
YESTERDAY = 1_767_225_600
"""When every file was last changed: before this machine was started."""

LINES = {"loop": (), "cycle": ("cycle",), "tuning": ("tunings",)}
"""The first words of a kind's commands."""
PATIENCE = 60

SEAL = re.compile(rb',"check":"[0-9a-f]{8}-[0-9a-f]{8}"\}$')
DIGEST = re.compile(rb'^    "digest": "(?P<digest>[0-9a-f]{32})"', re.MULTILINE)

TOLD_DIGEST = re.compile(r'("digest": ?)"[0-9a-f]{32}"')


class Told(NamedTuple):
    """What a command printed with --json, line by line; paths in it are those of any place."""

    code: int
    lines: list[Json]

    @property
    def data(self) -> Json:
        return self.lines[-1]["data"]


@dataclass(frozen=True)
class Place:
    """A folder with a project and all that the command keeps for its user."""

    root: Path

    @classmethod
    def in_folder(cls, folder: Path) -> "Place":
        """A new one below it, with a path of the usual length."""
        missing = LENGTH - len(f"{folder.resolve()}/")
        assert missing > 0, f"{folder} is too deep"
        place = cls(folder.resolve() / ("_" * missing))
        for part in (place.project, place.private, place.bin, place.root / "home"):
            part.mkdir(parents=True)
        for tool in TOOLS:
            program = shutil.which(tool)
            assert program, tool
            (place.bin / tool).symlink_to(program)
        return place

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def private(self) -> Path:
        return self.root / "state" / "loopwright"

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def hash(self) -> str:
        return hashlib.sha256(os.fsencode(self.project)).hexdigest()[:16]

    @property
    def environment(self) -> dict[str, str]:
        homes = {f"XDG_{name.upper()}_HOME": str(self.root / name) for name in ("state", "config", "cache")}
        return {"PATH": str(self.bin), "HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", **homes}

    def call(self, *words: str) -> Told:
        """A command, to its end."""
        done = run_command((*words, "--json"), cwd=self.project, env=self.environment, seconds=PATIENCE)
        assert "Traceback" not in done.stderr, done.stderr
        return Told(done.returncode, [json.loads(one) for one in self.anywhere(done.stdout).splitlines()])

    def look(self, *words: str) -> Told:
        """The same of one that only looks, in this process."""
        said = io.StringIO()
        with patched(self.environment), chdir(self.project), redirect_stdout(said):
            code = main((*words, "--json"))
        return Told(code, [json.loads(one) for one in self.anywhere(said.getvalue()).splitlines()])

    def expect(self, code: int, *words: str) -> Told:
        """The same, which has to end with that code."""
        told = self.call(*words)
        assert told.code == code, (words, told)
        return told

    def begin(self, *words: str) -> "subprocess.Popen[bytes]":
        """A command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "loopwright", *words, "--json"], cwd=self.project, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def kill(self, runner: "subprocess.Popen[bytes]", id: str) -> None:
        """The runner first, then what it has left behind."""
        runner.kill()
        runner.wait()
        for pid in carrying(id):
            os.kill(pid, 9)

    def anywhere(self, text: str) -> str:
        """Without what depends on where it is: the digest of a state in which the path stands is another one."""
        return TOLD_DIGEST.sub(r'\g<1>"{digest}"', text.replace(str(self.root), PLACE).replace(self.hash, HASH))

    def states(self) -> Iterator[Path]:
        """The JSON files of all states."""
        workflow = self.project / ".workflow"
        for pattern in (".loop/*.json", ".cycle/*.json", ".scratchpad/*/state.json"):
            yield from sorted(workflow.glob(pattern))

    def write(self, files: Mapping[str, str]) -> None:
        """Into the project, or beside it by `../`."""
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


@contextmanager
def patched(environment: Mapping[str, str]) -> Iterator[None]:
    """This process in that environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def journal_of(state: Path) -> Path:
    return state.with_name(state.name.removesuffix(".json") + ".events.ndjson")


# ── packing ──────────────────────────────────────────────────────────────────────────────────────────────────


def packed(place: Place, contract: Json = None) -> bytes:
    """The place as an archive of which nothing depends on where and when it is made, but the states themselves."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(place.root.rglob("*")):
            inside = path.relative_to(place.root)
            if path.is_symlink() or inside.parts[0] in ("bin", "cache"):
                continue
            name = str(inside).replace(place.hash, HASH)
            _add(archive, name, path.read_bytes() if path.is_file() else None, path.stat().st_mode)
        if contract:
            _add(archive, CONTRACT, json.dumps({**contract, "made_at": str(place.root)}).encode(), 0o644)
    return gzip.compress(raw.getvalue(), mtime=0)


def _add(archive: tarfile.TarFile, name: str, data: bytes | None, mode: int) -> None:
    info = tarfile.TarInfo(name)
    info.mtime, info.mode = YESTERDAY, mode & 0o777
    info.size, info.type = len(data or b""), tarfile.DIRTYPE if data is None else tarfile.REGTYPE
    archive.addfile(info, io.BytesIO(data or b""))


# ── laying out ───────────────────────────────────────────────────────────────────────────────────────────────


def unpacked(data: bytes, folder: Path, made_at: str = "") -> tuple[Place, Json]:
    """The project at a place of its own, and its contract. `made_at`: where it was made, if the contract is missing."""
    place = Place.in_folder(folder)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for info in archive.getmembers():
            info.name = info.name.replace(HASH, place.hash)
            archive.extract(info, place.root, filter="data")
    told = place.root / CONTRACT
    contract = json.loads(told.read_bytes()) if told.exists() else {"made_at": made_at}
    told.unlink(missing_ok=True)
    _move(place, contract["made_at"])
    return place, contract


def _move(place: Place, made_at: str) -> None:
    """Puts the new path in the place of the old one, and makes every sum over it anew."""
    old, new = made_at.encode(), str(place.root).encode()
    assert len(old) == len(new)
    for path in place.root.rglob("*"):
        if path.is_file() and not path.is_symlink() and old in (data := path.read_bytes()):
            _rewrite(path, data.replace(old, new))
    for state in place.states():
        file, was, now = _signed(state.read_bytes())
        _rewrite(state, file)
        journal = journal_of(state)
        lines = journal.read_bytes().replace(was, now).splitlines(keepends=True)
        _rewrite(journal, b"".join(map(_sealed, lines)))


def _signed(data: bytes) -> tuple[bytes, bytes, bytes]:
    """The file with the right digest, that which it had, and the new one. It is taken with zeros in its place."""
    found = DIGEST.search(data)
    assert found
    begin, end = found.span("digest")
    digest = hashlib.sha256(data[:begin] + b"0" * 32 + data[end:]).hexdigest()[:32].encode()
    return data[:begin] + digest + data[end:], found["digest"], digest


def _sealed(line: bytes) -> bytes:
    """A line of a journal with the right check; a torn one has none."""
    body, found = SEAL.subn(b"", line.rstrip(b"\n"))
    return b'%s,"check":"%08x-%08x"}\n' % (body, len(body), zlib.crc32(body)) if found else line


def _rewrite(path: Path, data: bytes) -> None:
    if path.read_bytes() != data:
        path.write_bytes(data)
        os.utime(path, (YESTERDAY, YESTERDAY))
