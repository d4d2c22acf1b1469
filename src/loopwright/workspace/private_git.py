"""A git directory of our own, out of reach of the user's configuration and hooks."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from loopwright.core.errors import Invalid, WorkspaceError
from loopwright.core.private_files import make_private_folder
from loopwright.core.threads import CallCancelledError, is_cancelled
from loopwright.processes.process_tree import STARTING

_SETTINGS = {
    "core.bare": "false",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.precomposeUnicode": "false",
    "core.protectNTFS": "false",  # names that only other systems refuse are names here
    "core.protectHFS": "false",
    "core.fsync": "loose-object,reference,pack,pack-metadata",
    "core.fsyncMethod": "batch",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "safe.directory": "*",
}
_SWITCHES = tuple(part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}"))

# Files are kept byte by byte: no line ends, keywords, filters or encodings, whatever the project's .gitattributes say.
ATTRIBUTES = "* -text !eol -ident !filter !working-tree-encoding !diff\n"

_AUTHOR = {"NAME": "loopwright", "EMAIL": "loopwright@localhost"}


def clean_environment() -> dict[str, str]:
    """Our environment without what would send git elsewhere, as inside of a hook, and without the user's settings."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _AUTHOR.items()},
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "none",  # a repository that lacks objects names the program that would bring them
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


def run_git(
    *args: str | bytes,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    keep_open: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Runs git with our settings and without the user's; the caller looks at the exit code."""
    with _given(stdin) as file, start_git(*args, cwd=cwd, env=env, stdin=file, keep_open=keep_open) as process:
        return _finish(process, args)


@contextmanager
def _given(stdin: bytes) -> Iterator[int]:
    """A file that holds it: a pipe could not be waited for in pieces."""
    if not stdin:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(stdin)
        file.seek(0)
        yield file.fileno()


_READING = frozenset({"ls-files", "checkout-index", "check-attr", "diff-files", "pack-objects"})
"""What may be broken off at any time: it only reads, or writes where nobody looks yet."""


def _finish(process: subprocess.Popen[bytes], args: Sequence[str | bytes]) -> subprocess.CompletedProcess[bytes]:
    """CallCancelledError where it was broken off."""
    may_end = not _READING.isdisjoint(args[:7])  # the switches stand before it
    while True:
        try:
            said, complained = process.communicate(timeout=0.2 if may_end else None)
            return subprocess.CompletedProcess(process.args, process.returncode, said, complained)
        except subprocess.TimeoutExpired:
            if is_cancelled():
                process.kill()
                raise CallCancelledError from None


def start_git(
    *args: str | bytes,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.PIPE,
    keep_open: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """The same, begun, with pipes."""
    argv = ("git", *_SWITCHES, *args)
    try:
        with STARTING:
            return subprocess.Popen(
                argv,
                cwd=cwd,
                env={**clean_environment(), **(env or {})},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=keep_open,
            )
    except FileNotFoundError:
        if not cwd.is_dir():
            raise WorkspaceError(f"The project folder {cwd} does not exist") from None
        raise Invalid("git is needed for snapshots of the project, and was not found on PATH") from None


READY = "loopwright.ready"
"""A file that says for which folder the directory was made; there once it can be used."""


class PrivateGit:
    """Commands in one private git directory for one work tree; one at a time over all processes."""

    def __init__(self, directory: Path, work_tree: Path, index: Path | None = None) -> None:
        self.directory, self.work_tree = directory, work_tree
        self.index = index or directory / "index"
        self._lock: int | None = None

    @property
    def look(self) -> str:
        """The ref of a commit that holds the files of the work tree as they were looked at last."""
        return f"refs/looks/{self.index.name}"

    @contextmanager
    def locked(self) -> Iterator["PrivateGit"]:
        """The directory, made where it is missing, for us alone."""
        make_private_folder(self.directory)
        descriptor = os.open(self.directory / "loopwright.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            holder = PrivateGit(self.directory, self.work_tree, self.index)
            holder._lock = descriptor
            holder._prepare()
            yield holder
        finally:
            os.close(descriptor)

    def at(self, work_tree: Path, index: Path) -> "PrivateGit":
        """The same directory for another work tree, under the same lock."""
        other = PrivateGit(self.directory, work_tree, index)
        other._lock = self._lock
        return other

    def run(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        index: Path | None = None,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> bytes:
        """Output of a command that must succeed. WorkspaceError."""
        done = self.attempt(*args, stdin=stdin, index=index, env=env)
        return _succeeded(done, args, self.directory)

    def attempt(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        index: Path | None = None,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> subprocess.CompletedProcess[bytes]:
        """The same; the caller looks at the exit code."""
        with _given(stdin) as file, self.start(*args, index=index, env=env, stdin=file) as process:
            return _finish(process, args)

    def start(
        self,
        *args: str | bytes,
        index: Path | None = None,
        env: Mapping[str, str] = MappingProxyType({}),
        stdin: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        """A command that goes on, with pipes."""
        where = {
            **env,
            "GIT_DIR": str(self.directory),
            "GIT_WORK_TREE": str(self.work_tree),
            "GIT_INDEX_FILE": str(index or self.index),
        }
        # The child shares the lock: should we be killed, nobody else comes in before it has ended too.
        held = () if self._lock is None else (self._lock,)
        return start_git(*args, cwd=self.work_tree, env=where, stdin=stdin, keep_open=held)

    @contextmanager
    def scratch_index(self) -> Iterator[Path]:
        """An empty index for one question."""
        scratch = self.directory / "index.scratch"
        scratch.unlink(missing_ok=True)
        try:
            yield scratch
        finally:
            scratch.unlink(missing_ok=True)

    def _prepare(self) -> None:
        ready = self.directory / READY
        if not ready.exists():
            for half_made in ("HEAD", "config"):
                (self.directory / half_made).unlink(missing_ok=True)
            done = run_git("init", "--quiet", "--bare", "--template=", "--object-format=sha1", ".", cwd=self.directory)
            _succeeded(done, ("init",), self.directory)
            (self.directory / "info").mkdir(exist_ok=True)
            ready.touch()
        if not ready.stat().st_size:
            ready.write_text(str(self.work_tree))
        (self.directory / "info" / "attributes").write_text(ATTRIBUTES)
        # Whoever left a lock file is dead: its git shared our lock.
        for stale in (*self.directory.glob("*.lock"), *self.directory.glob("refs/*/**/*.lock")):
            if stale.name != "loopwright.lock":
                stale.unlink(missing_ok=True)


LITTLE = 64 * 1024 * 1024
"""Bytes that are free on a disk of which git, that says too little, is likely to mean that it is full."""


def _succeeded(done: subprocess.CompletedProcess[bytes], args: Sequence[str | bytes], directory: Path) -> bytes:
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        command = next(word for word, before in zip(args, ("", *args), strict=False) if "-c" not in (word, before))
        full = ""
        with suppress(OSError):
            free = shutil.disk_usage(directory).free
            full = f" (only {free / 1e6:.0f} MB are free there)" if free < LITTLE else ""
        raise WorkspaceError(f"git {os.fsdecode(command)} failed in {directory}: {said}{full}")
    return done.stdout
