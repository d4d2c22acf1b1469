"""Candidates are arbitrary code: what they could do to the machine, and what must be as it was when a search ends."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from loopwright.repair import sandbox
from loopwright.repair import sandbox as confinement
from tests.repair.asking import contents, mended, search
from tests.repair.cases import write

HARM = """import os
import shutil
import signal
import socket
from contextlib import suppress
from pathlib import Path

CANARY = Path({canary!r})
PROJECT = Path({project!r})


def remove():
    shutil.rmtree(CANARY, ignore_errors=True)
    shutil.rmtree(PROJECT, ignore_errors=True)


def overwrite():
    for name in ("kept.txt", "new.txt"):
        with suppress(OSError):
            (CANARY / name).write_text("spoilt")
    with suppress(OSError):
        os.truncate(CANARY / "kept.txt", 0)
    with suppress(OSError):
        (CANARY / "kept.txt").rename("stolen.txt")
    with suppress(OSError):
        os.link(CANARY / "kept.txt", CANARY / "linked.txt")


def end():
    with suppress(OSError):
        os.kill({pid}, signal.SIGKILL)


def call():
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", {port}), 0.2).sendall(b"hello")


def spread():
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            while True:
                signal.pause()


def fill():
    with suppress(OSError), open("large", "wb") as file:
        file.truncate(10 << 30)


def grow():
    with suppress(MemoryError):
        bytearray(10 << 30)


def all_of_it():
    for harm in (remove, overwrite, end, call, spread, fill, grow):
        harm()
"""
LEVEL = """from harm import all_of_it


def level(number):
    found = number - 1
    if found < number:
        all_of_it()
    return found
"""
LEVEL_TESTS = "from level import level\n\n\ndef test_level():\n    assert level(4) == 5\n"


@contextmanager
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that nobody but this test may end."""
    process = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_program_that_destroys_what_it_reaches(tmp_path: Path) -> None:
    """It does so in the first run, and with nearly every edit: all but the one that mends it."""
    canary = tmp_path / "canary"
    project = tmp_path / "project"
    write({"kept.txt": "precious", "below/deep.txt": "precious, too"}, canary)
    before = contents(canary)
    with sleeper() as process, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        harm = HARM.format(canary=str(canary), project=str(project), pid=process.pid, port=port)
        files = {"harm.py": harm, "level.py": LEVEL, "test_level.py": LEVEL_TESTS}
        found = search(project, files)
        assert mended(files, found, "number - 1", "number + 1")
        assert contents(canary) == before
        assert process.poll() is None
        assert select.select([server], [], [], 0)[0] == []


def test_a_program_that_ends_what_has_started_it(tmp_path: Path) -> None:
    """Many of its edits do so; were they not held, the search would lose the processes that it tries them in."""
    program = (
        "import os\nimport signal\n\n\ndef level(number):\n    found = number - 1\n    if found < number - 1:\n"
        "        end()\n    return found\n\n\ndef end():\n    os.kill(os.getppid(), signal.SIGKILL)\n"
    )
    files = {"level.py": program, "test_level.py": LEVEL_TESTS}
    if forked(lambda: 0 if confinement.keep_signals_inside() else 77) == 77:
        pytest.skip("this kernel cannot keep signals in")
    assert mended(files, search(tmp_path, files), "number - 1", "number + 1")


def forked(work: Callable[[], int]) -> int:
    """The exit status of what is done in a process of its own."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_writing_is_kept_inside_of_the_folders(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    write({"a/own.txt": "own", "b/own.txt": "own"}, inside)
    write({"kept.txt": "kept", "empty/x": ""}, outside)
    (outside / "empty" / "x").unlink()
    before = contents(outside)

    def refused(harm: Callable[[], object]) -> int:
        try:
            harm()
        except OSError:
            return 0
        return 1

    def work() -> int:
        if not confinement.keep_writing_inside([str(inside)]):
            return 77
        (inside / "new.txt").write_text("new")
        (inside / "a" / "own.txt").rename(inside / "b" / "moved.txt")
        (inside / "b" / "own.txt").unlink()
        Path("/dev/null").write_text("gone")
        return sum(
            refused(harm)
            for harm in (
                lambda: (outside / "kept.txt").write_text("spoilt"),
                lambda: (outside / "new.txt").write_text("new"),
                lambda: (outside / "kept.txt").unlink(),
                lambda: (outside / "empty").rmdir(),
                lambda: (outside / "folder").mkdir(),
                lambda: (outside / "kept.txt").rename(inside / "stolen.txt"),
                lambda: (outside / "link").symlink_to("kept.txt"),
                lambda: os.mkfifo(outside / "pipe"),
            )
        )

    status = forked(work)
    if status == 77:
        pytest.skip("this kernel has no Landlock")
    assert status == 0
    assert contents(outside) == before
    assert sorted(path.name for path in inside.rglob("*.txt")) == ["moved.txt", "new.txt"]


def test_a_confined_process_reads_what_it_could_read(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("to be read")
    (tmp_path / "inside").mkdir()

    def work() -> int:
        confinement.keep_writing_inside([str(tmp_path / "inside")])
        out = subprocess.run([sys.executable, "-c", "print(5)"], capture_output=True, text=True, check=True).stdout
        return 0 if (tmp_path / "outside.txt").read_text() == "to be read" and out == "5\n" else 1

    assert forked(work) == 0


def test_a_confined_process_ends_only_its_own() -> None:
    with sleeper() as process:

        def work() -> int:
            if not confinement.keep_signals_inside():
                return 77
            with sleeper():  # its own can be ended
                pass
            with suppress(PermissionError):
                os.kill(process.pid, signal.SIGKILL)
            return 0

        status = forked(work)
        if status == 77:
            pytest.skip("this kernel cannot keep signals in")
        assert status == 0
        assert process.poll() is None


def test_memory_and_files_are_bounded(tmp_path: Path) -> None:
    def work() -> int:
        sandbox.limit_process(cpu_seconds=20)
        try:
            bytearray(10 << 30)
        except MemoryError:
            pass
        else:
            return 1
        try:
            with open(tmp_path / "large", "wb") as file:
                file.truncate(10 << 30)
        except OSError:
            return 0
        return 2

    assert forked(work) == 0
