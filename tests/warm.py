"""The real command as a process of its own that does not load everything anew: a copy of one that has loaded it.

Most of a short command's time is Python loading modules. So a process beside the tests loads them once, and forks for
each command. The copy has its own arguments, environment, folder and ends of pipes, enters where `python -m loopwright`
enters, and ends as Python ends. What it has not is an environment of its own in /proc, nor variables that Python itself
reads as it starts: whoever needs those starts the command in the usual way.
"""

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parent.parent
NUMBER = struct.Struct("!q")


class Loaded:
    """A process that has everything loaded; it copies itself for one command at a time."""

    def __init__(self) -> None:
        self._here, there = socket.socketpair()
        outer = {name: value for name, value in os.environ.items() if not name.startswith("LOOPWRIGHT_")}
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(there.fileno())], cwd=ROOT, pass_fds=(there.fileno(),),
                env=outer, stdin=subprocess.DEVNULL,
            )  # fmt: skip

    def run(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """As subprocess.run with captured text: until nobody has its output open any more. TimeoutExpired."""
        deadline = time.monotonic() + seconds
        request = json.dumps({"words": [*words], "cwd": str(cwd), "env": dict(env)}).encode()
        with ExitStack() as ends:
            pipes = [os.pipe(), os.pipe()]
            for read, _ in pipes:
                ends.callback(os.close, read)
            socket.send_fds(self._here, [NUMBER.pack(len(request))], [write for _, write in pipes])
            for _, write in pipes:
                os.close(write)
            self._here.sendall(request)
            pid = _number(self._here)
            texts = _read([read for read, _ in pipes], deadline)
            if texts is None:
                os.kill(pid, signal.SIGKILL)  # it is not waited for before that: the number is still its own
        code = _number(self._here)
        if texts is None:
            raise subprocess.TimeoutExpired([*words], seconds)
        return subprocess.CompletedProcess([*words], code, *texts)

    def close(self) -> None:
        self._here.close()
        self._process.wait()

    def give_up(self) -> None:
        """Whoever was interrupted has left an answer unread, which the next one would take for its own."""
        self._process.kill()
        self.close()


_idle: list[Loaded] = []
"""Not at work now. Several threads may each have a command under way."""


@atexit.register
def _close() -> None:
    while _idle:
        _idle.pop().close()


def run_command(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], seconds: float
) -> "subprocess.CompletedProcess[str]":
    """The command with these words, to its end. TimeoutExpired."""
    loaded = _idle.pop() if _idle else Loaded()
    try:
        done = loaded.run(words, cwd, env, seconds)
    except subprocess.TimeoutExpired:
        _idle.append(loaded)
        raise
    except BaseException:
        loaded.give_up()
        raise
    _idle.append(loaded)
    return done


def _read(outputs: Sequence[int], deadline: float) -> list[str] | None:
    """All that comes, to the end of each; None when that takes too long."""
    data = dict.fromkeys(outputs, b"")
    with selectors.DefaultSelector() as selector:
        for output in outputs:
            selector.register(output, selectors.EVENT_READ)
        while selector.get_map():
            if (left := deadline - time.monotonic()) <= 0:
                return None
            for key, _ in selector.select(left):
                if more := os.read(key.fd, 1 << 16):
                    data[key.fd] += more
                else:
                    selector.unregister(key.fd)
    return [text.decode().replace("\r\n", "\n") for text in data.values()]


def _exactly(end: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = end.recv(size - len(data))
        if not more:
            raise EOFError("the other end is closed")
        data += more
    return data


def _number(end: socket.socket) -> int:
    (number,) = NUMBER.unpack(_exactly(end, NUMBER.size))
    return int(number)


def main() -> None:
    """The loaded process, and each of its copies."""
    import loopwright.surfaces.cli.main
    import loopwright.wiring
    from loopwright.__main__ import __file__, main

    assert loopwright.surfaces.cli.main
    assert loopwright.wiring
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as end:
        while True:
            size, outputs, _, _ = socket.recv_fds(end, NUMBER.size, 2)
            if not size:
                return
            request = json.loads(_exactly(end, *NUMBER.unpack(size)))
            if (pid := os.fork()) == 0:
                break
            for output in outputs:
                os.close(output)
            end.sendall(NUMBER.pack(pid))
            _, status = os.waitpid(pid, 0)
            end.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
    _become(request["words"], __file__, Path(request["cwd"]), request["env"], outputs)
    main()


def _become(words: Sequence[str], entry: str, cwd: Path, env: Mapping[str, str], outputs: Sequence[int]) -> None:
    """What a fresh process would find."""
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
        os.close(output)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    tempfile.tempdir = None  # it may have been looked up already
    sys.argv = [entry, *words]
    sys.path[0] = str(cwd)
    gc.unfreeze()


if __name__ == "__main__":
    main()
