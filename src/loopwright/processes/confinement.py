"""Which sandbox what this process starts is put into, and what there is on the machine to put into it."""

import ctypes
import marshal
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.core.errors import NoSandbox, SandboxError
from loopwright.core.state import SandboxName
from loopwright.processes.environment import program_environment
from loopwright.processes.sandbox import (
    TEMPORARY,
    HostPaths,
    Level,
    Mount,
    NamedHost,
    ProjectPaths,
    SandboxNeeds,
    SandboxPlan,
    bubblewrap_command,
    expand_folder,
    lay_out,
    mask_sockets,
    plan_entry,
    read_extra,
    read_hosts,
    write_hosts_file,
)

if TYPE_CHECKING:
    from loopwright.processes.host_relay import HostRelay

SANDBOXES: tuple[SandboxName, ...] = ("landlock", "bwrap")
"""Those that there are, in the order in which they are looked for."""

LEVELS: tuple[Level, ...] = ("processes", "mounts", "landlock")
"""Of the first, the strongest first."""

ONLY_TESTS = SandboxNeeds()
"""What a program gets of which nobody says more: the project, and no network."""

_SECONDS = 20.0
_NOTHING_TO_DO = ("/bin/sh", "-c", ":")
"""The one program that is there whatever PATH says."""
_ENTER = "import sys; sys.path.append({!r}); import sandbox_entry as e; e.enter(int(sys.argv[1]), sys.argv[2:])"
_ENTRY = (sys.executable, "-I", "-S", "-c", _ENTER.format(os.path.dirname(__file__)))
_KEPT = (".git", ".workflow", ".loopwright", "loopwright.toml")
"""Of a project: its history, the state of its runs, and what says how they work."""

_PACKAGE = ("package.json", "pyproject.toml", "setup.py", ".git")
"""What makes a folder one that a program may be started from."""

_HIDDEN = ("/home", "/root", "/run", "/media")
_MASKED = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh/ssh_host_*_key")
_GUARDED = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr")
_RESOLVER = Path("/etc/resolv.conf")

_TOOLS = """
.asdf .bun .cabal .cargo/bin .cargo/env .cargo/git .cargo/registry .conda .deno .fnm .ghcup .gem .julia .juliaup
.linuxbrew .local/bin .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/pipx
.local/share/pnpm .local/share/rtx .local/share/uv .local/share/virtualenvs .m2/repository .nix-profile
.npm-global .nvm .opam .pyenv .rbenv .rustup .rvm .sdkman .stack .virtualenvs .volta .cache/ms-playwright
.cache/puppeteer .cache/pypoetry/virtualenvs .gradle/wrapper .gitconfig .config/git/config .config/git/ignore
.config/git/attributes go anaconda3 miniconda3 miniforge3 mambaforge
"""
"""Where languages and their tools lie in a home directory."""

_LOGINS = """
.cargo/credentials .cargo/credentials.toml .gem/credentials .julia/servers .local/share/uv/credentials
.cabal/config
"""
"""What of this holds logins all the same, and is hidden."""

_VARIABLES = """
BUN_INSTALL CARGO_HOME CONDA_PREFIX DENO_INSTALL GOPATH GOROOT GOMODCACHE JAVA_HOME NODE_PATH NVM_DIR PNPM_HOME
PYENV_ROOT PYTHONPATH RUSTUP_HOME SDKMAN_DIR VIRTUAL_ENV VOLTA_HOME
"""
"""Environment variables that say the same."""


_NEST = """
import ctypes, os
libc = ctypes.CDLL(None)
user = os.getuid()
assert libc.unshare(0x30020000) == 0
open("/proc/self/uid_map", "w").write(f"{user} {user} 1")
child = os.fork()
if child == 0:
    os._exit(libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None) != 0)
os._exit(os.waitpid(child, 0)[1] != 0)
"""
_NEST_BUBBLEWRAP = ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "true")


@dataclass(frozen=True)
class Sandbox:
    """One run's sandbox. `folder` is the run's own, `state` holds it and what else is kept of this user's runs.

    `root` is the project; `paths` and `hosts` as the settings have them. `trees`: folders of the run's worktree and
    lanes, whose programs are started in copies elsewhere, too.
    """

    name: SandboxName
    root: Path
    folder: Path
    state: Path
    paths: tuple[str, ...] = ()
    trees: tuple[Path, ...] = ()
    hosts: tuple[str, ...] = ()

    def check(self) -> None:
        """Starts a program within. NoSandbox where that cannot be, with the reason."""
        home = _home(os.environ)
        if home.is_relative_to(self.root):
            raise NoSandbox(
                f"a sandbox hides the home directory, and the project {self.root} holds it; use another folder"
            )
        for words in self.paths:
            path, _ = read_extra(words, self.root, home)
            if not os.path.exists(path):
                raise NoSandbox(f"sandbox_paths: there is no {path}; write it as PATH or PATH:rw")
        try:
            read_hosts(self.hosts)
        except ValueError as error:
            raise NoSandbox(f"sandbox_hosts: {error}") from error
        if self.hosts and self.name == "bwrap":
            raise NoSandbox("sandbox_hosts: bubblewrap cannot do that; the sandbox landlock can")
        try:
            with tempfile.TemporaryDirectory(prefix="loopwright-sandbox-", ignore_cleanup_errors=True) as folder:
                tried = replace(self, folder=Path(folder).resolve())
                done = tried.run_briefly(_NOTHING_TO_DO, self.root, os.environ, _SECONDS)
        except (SandboxError, OSError, subprocess.TimeoutExpired) as error:
            raise NoSandbox(f"the sandbox {self.name} does not work here: {_why(error)}") from error
        if done.returncode != 0:
            raise NoSandbox(f"the sandbox {self.name} does not work here: {_last_line(done.stdout)}")

    @cached_property
    def nests(self) -> bool:
        """Whether a program within can make a sandbox of its own."""
        inner = (sys.executable, "-I", "-S", "-c", _NEST) if self.name == "landlock" else _NEST_BUBBLEWRAP
        try:
            return self.run_briefly(inner, self.root, os.environ, _SECONDS).returncode == 0
        except (SandboxError, OSError, subprocess.TimeoutExpired):
            return False

    def run_briefly(
        self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str], seconds: float
    ) -> subprocess.CompletedProcess[bytes]:
        """To its end, with stderr in its output. SandboxError, OSError, TimeoutExpired."""
        status = SandboxStatus(self.name)
        with status.kept():
            command = self.command(argv, cwd, environment, ONLY_TESTS, status)
            done = subprocess.run(
                command,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                timeout=seconds,
                check=False,
                pass_fds=status.descriptors,
            )
            status.check(done.returncode, done.stdout.decode("utf-8", "replace"))
        return done

    def command(
        self,
        argv: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        needs: SandboxNeeds,
        status: "SandboxStatus",
    ) -> list[str]:
        """What is started in its place, and makes what it needs on the way. SandboxError."""
        if self.name == "bwrap" and shutil.which("bwrap") is None:
            raise SandboxError(self.name, "there is no program bwrap")
        cwd, home = cwd.resolve(), _home(environment)
        host, project = self._host(environment, needs), self._project(cwd, home)
        folders = self._folders(needs, environment, home)
        for path in needs.writable:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        table = lay_out(host, project, cwd, needs, folders)
        if not needs.network:
            table = mask_sockets(_sockets(), table, (path for path, _ in project.extra))
        if self.name == "bwrap":
            return bubblewrap_command(argv, table, host, cwd, network=needs.network, status=status.descriptor)
        level = landlock_level()
        if level is None:
            raise SandboxError(self.name, _NOTHING)
        hosts = () if needs.network else read_hosts(self.hosts)
        if hosts and level != "landlock":
            table[Path("/etc/hosts")] = Mount("read", self._hosts_file(write_hosts_file(hosts)))
        changing = [str(path) for path in {cwd, self.root} if needs.pausing and table[path].access == "write"]
        status.hold(plan_entry(level, table, host, cwd, network=needs.network, parent=os.getpid()), changing, hosts)
        return [*_ENTRY, str(status.descriptor), *argv]

    def _hosts_file(self, text: str) -> Path:
        """One with that text; others may be starting programs with it."""
        path = self.folder / f"hosts-{zlib.crc32(text.encode()):08x}"
        if not path.exists():
            part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
            part.write_text(text)
            part.replace(path)
        return path

    def _host(self, environment: Mapping[str, str], needs: SandboxNeeds) -> HostPaths:
        home = _home(environment)
        bases = (environment.get(f"XDG_{kind}_HOME", "") for kind in ("CONFIG", "DATA", "STATE", "CACHE"))
        own = (_home(os.environ), self.state, *(Path(base) for base in bases if os.path.isabs(base)))
        hidden = frozenset(_real((*map(Path, _HIDDEN), *own)))
        cargo = Path(environment.get("CARGO_HOME") or home / ".cargo")
        logins = [*(home / name for name in _LOGINS.split()), cargo / "credentials", cargo / "credentials.toml"]
        root = os.geteuid() == 0
        return HostPaths(
            home=home,
            hidden=tuple(sorted({*hidden, *(path for path in logins if os.path.isdir(path))})),
            named=named if (named := Path(environment.get("HOME") or home)) != home else None,
            temporary=next(_real([Path(environment.get("TMPDIR") or "/tmp")]), None),
            masked=(*_masked(), *(path for path in logins if os.path.isfile(path))),
            tools=tuple(sorted({*_tools(environment, home, hidden), *_resolver(needs)})),
            guarded=tuple(path for name in _GUARDED if root and (path := Path("/proc", name)).exists()),
        )

    def _project(self, cwd: Path, home: Path) -> ProjectPaths:
        places = dict.fromkeys((self.root, cwd))
        kept = (place / name for place in places for name in _KEPT)
        return ProjectPaths(
            root=self.root,
            kept=tuple(path for path in kept if os.path.exists(path) and not os.path.islink(path)),
            elsewhere=(
                *_real(self.trees),
                *(path for place in places for path in _repositories(place)),
            ),
            extra=tuple(read_extra(words, self.root, home) for words in self.paths),
        )

    def _folders(self, needs: SandboxNeeds, environment: Mapping[str, str], home: Path) -> dict[Path, Path]:
        """Those of the program's own, made where they are missing."""
        own = {Path(environment.get("XDG_CACHE_HOME") or home / ".cache"): "cache"}
        temporary = next(_real([Path(environment.get("TMPDIR") or "/tmp")]), TEMPORARY[0])
        places = [p for p in (*TEMPORARY, temporary) if not any(p.is_relative_to(given) for given in needs.writable)]
        own |= {place: place.as_posix().strip("/").replace("/", "-") for place in places}
        found = {place: self.folder / name / needs.cache for place, name in own.items()}
        for folder in found.values():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for template in needs.folders:
            path = expand_folder(template, environment, home)
            if not path.suffix:  # a file is the program's own to make
                with suppress(OSError):
                    path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.path.exists(path):
                found[path] = path.resolve()
        return found


class SandboxStatus:
    """What a sandbox tells of its program's exit. `descriptor` is handed to it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.descriptor = os.memfd_create("sandbox-status", os.MFD_CLOEXEC)
        self._control: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._relay: HostRelay | None = None

    def hold(self, plan: SandboxPlan, changing: Sequence[str] = (), hosts: tuple[NamedHost, ...] = ()) -> None:
        """What `sandbox_entry` is to do; `changing`: see `permit_writing`. `hosts` that the program reaches."""
        plan["hosts"] = [(host.address, host.port) for host in hosts]
        if hosts and plan["level"] != "landlock":
            from loopwright.processes.host_relay import HostRelay  # asyncio, for those who name hosts

            self._relay = HostRelay(hosts)
            plan["relay"] = self._relay.theirs.fileno()
        if changing and plan["level"] == "processes":
            self._control, self._theirs = socket.socketpair()
            self._control.settimeout(_SECONDS)
            plan["control"], plan["changing"] = self._theirs.fileno(), list(changing)
        os.pwrite(self.descriptor, marshal.dumps(dict(plan)), 0)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What is handed to the program that makes the sandbox."""
        more = (self._theirs, self._relay.theirs if self._relay else None)
        return (self.descriptor, *(one.fileno() for one in more if one is not None))

    def hand_over(self) -> None:
        """It has been handed to the program: that alone holds the other end."""
        if self._theirs is not None:
            self._theirs.close()
            self._theirs = None
        if self._relay is not None:
            self._relay.hand_over()

    def permit_writing(self, allowed: bool) -> bool:
        """Whether the project can be written within, from now on; False where that stays as it was.

        Not while a file of it is open to be written, and not by what has made mounts of its own.
        """
        if self._control is None:
            return False
        with suppress(OSError):
            self._control.send(b"w" if allowed else b"r")
            return self._control.recv(1) == b"+"
        return False

    @contextmanager
    def kept(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.close()

    def close(self) -> None:
        if self._theirs is not None:
            self._theirs.close()
            self._theirs = None
        if self._relay is not None:
            self._relay.close()
            self._relay = None
        if self._control is not None:
            self._control.close()
            self._control = None
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def check(self, exit_code: int | None, output: str) -> None:
        """SandboxError where it has ended by itself, and no program in it was started."""
        if exit_code is None or exit_code <= 0 or self.descriptor < 0:
            return
        told = os.pread(self.descriptor, 10_000, 0).decode("utf-8", "replace")
        if self._name == "landlock":
            if told != "started":
                raise SandboxError(self._name, told if told.isprintable() and told else f"exit code {exit_code}")
        elif '"exit-code"' not in told:
            said = [line for line in output.splitlines() if line.startswith("bwrap: ")]
            raise SandboxError(self._name, said[-1].removeprefix("bwrap: ") if said else f"exit code {exit_code}")


def resolve_sandbox(wanted: SandboxName, root: Path) -> SandboxName:
    """What `auto` and `required` come to here, for the project `root`; the others are what they are. NoSandbox."""
    if wanted not in ("auto", "required"):
        return wanted
    if landlock_level() is not None and (wanted == "required" or not _home(os.environ).is_relative_to(root)):
        return "landlock"
    if wanted == "auto":
        return "none"
    if shutil.which("bwrap") is None:
        raise NoSandbox(f"a sandbox is required, and {_NOTHING}; bubblewrap is not installed")
    return "bwrap"


_NOTHING = "this kernel has no Landlock, and no namespaces are allowed"
_HELD: dict[Level, str] = {
    "processes": "files by mounts, processes and network of its own",
    "mounts": "files by mounts, a network of its own; it sees the names of other processes",
    "landlock": "no namespaces here: what lies in the project can be written, and UDP, DNS and sockets be reached",
}


def describe_sandbox(name: SandboxName) -> str:
    """What this kernel holds of it."""
    if name in ("none", "bwrap"):
        return ""
    level = landlock_level()
    return f"Landlock {landlock_version()}: {_HELD[level]}" if level else "none can be had here"


def landlock_version() -> int:
    """Of the kernel's interface; 0 where there is none."""
    return max(int(ctypes.CDLL(None).syscall(444, None, 0, 1)), 0)


@cache
def landlock_level() -> Level | None:
    """The strongest that works here; None where the kernel has nothing, or allows nothing."""
    return next((level for level in LEVELS if _works(level)), None)


def _works(level: Level) -> bool:
    status = SandboxStatus("landlock")
    with status.kept(), suppress(OSError, subprocess.TimeoutExpired):
        nothing = HostPaths(Path("/"), ())
        status.hold(plan_entry(level, {}, nothing, Path("/"), network=False, parent=os.getpid()))
        tried = [*_ENTRY, str(status.descriptor), *_NOTHING_TO_DO]
        done = subprocess.run(
            tried, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, pass_fds=(status.descriptor,)
        )
        return done.returncode == 0
    return False


_CURRENT: ContextVar[Sandbox | None] = ContextVar("sandbox", default=None)


def current_sandbox() -> Sandbox | None:
    """The one of the run that is driven here; None where it has none."""
    return _CURRENT.get()


@contextmanager
def confine(sandbox: Sandbox | None) -> Iterator[None]:
    """While it lasts, what is started goes into this sandbox, and so it does in tasks and threads begun meanwhile."""
    token = _CURRENT.set(sandbox)
    try:
        yield
    finally:
        _CURRENT.reset(token)


_DENIED = ("Permission denied", "Read-only file system", "Operation not permitted", "EACCES", "EROFS")
_UNREACHED = (
    "Connection refused", "ECONNREFUSED", "Network is unreachable", "ENETUNREACH", "name resolution",
    "Name or service not known", "ENOTFOUND", "EAI_AGAIN",
)  # fmt: skip
_MISSED = ("No such file", "ENOENT", "not found")
_PATH = re.compile(r"/[\w.@+-]+(?:/[\w.@+-]+)+")
_LOOKED_AT = 100


def explain_denial(output: str, *, network: bool = True) -> str:
    """What to do about an access that the sandbox may have denied a failed program; empty where it has not.

    `network`: whether it had one.
    """
    sandbox = _CURRENT.get()
    if sandbox is None:
        return ""
    if not network and any(words in output for words in _UNREACHED):
        return "Tests have no network in the sandbox: the setting sandbox_hosts names what they may reach."
    if any(words in output for words in _DENIED):
        return "The sandbox may have denied it a file: the setting sandbox_paths names what it may use besides."
    if any(words in output for words in _MISSED):
        for found in islice(_PATH.finditer(output), _LOOKED_AT):
            path = Path(found[0])
            if _is_below_hidden(path) and not path.is_relative_to(sandbox.root) and os.path.exists(path):
                return f"The sandbox may have hidden {path} from it: name it in the setting sandbox_paths."
    return ""


def _is_below_hidden(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in (*map(Path, _HIDDEN), *TEMPORARY, _home(os.environ)))


def run_briefly(argv: Sequence[str], *, cwd: Path, seconds: float) -> subprocess.CompletedProcess[bytes]:
    """A short question to a program of the project's, in the run's sandbox. OSError, TimeoutExpired, SandboxError."""
    sandbox, environment = current_sandbox(), program_environment()
    if sandbox is not None:
        return sandbox.run_briefly(argv, cwd, environment, seconds)
    return subprocess.run(
        argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
    )


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()).resolve()


def _real(paths: Iterable[Path]) -> Iterator[Path]:
    """Those that are folders, by their real paths."""
    return (path.resolve() for path in paths if os.path.isdir(path))


def _masked() -> Iterator[Path]:
    """Secret files that we can read, as root can."""
    found = (path for name in _MASKED for path in Path("/").glob(name[1:]))
    return (path for path in found if os.path.isfile(path) and os.access(path, os.R_OK))


def _sockets() -> Iterator[Path]:
    """Where somebody listens on this machine, by a path."""
    with suppress(OSError), open("/proc/net/unix", errors="surrogateescape") as file:
        for line in file:
            name = line.rstrip("\n").partition(" /")[2]
            if name and os.path.exists(path := Path(f"/{name}")):
                yield path.parent.resolve() / path.name


def _resolver(needs: SandboxNeeds) -> Iterator[Path]:
    """Where names are looked up: often a link into /run."""
    if needs.network and _RESOLVER.is_symlink() and _RESOLVER.exists():
        yield _RESOLVER.resolve()


def _tools(environment: Mapping[str, str], home: Path, hidden: Iterable[Path]) -> Iterator[Path]:
    """What lies in hidden folders, and programs need to run: languages, and ourselves."""
    known = (home / name for name in _TOOLS.split())
    named = (
        Path(path) for name in _VARIABLES.split() for path in (environment.get(name) or "").split(os.pathsep) if path
    )
    found = (_prefix(Path(path), home) for path in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(path))
    ours = (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[2])
    roots = (*TEMPORARY, *hidden, home)
    for path in (*known, *named, *found, *ours):
        if os.access(path, os.R_OK) and any(path.is_relative_to(root) and path != root for root in roots):
            yield path
            real = path.resolve()
            if real != path and any(real.is_relative_to(root) for root in roots):
                yield real


def _prefix(folder: Path, home: Path) -> Path:
    """What a folder of programs belongs to: that of `~/tool/bin` is `~/tool`, that of `~/bin` is itself."""
    above = folder.parent
    shared = above in (home, home / ".local", Path("/")) or home.is_relative_to(above)
    return folder if folder.name not in ("bin", ".bin", "shims") or shared else above


def program_folders(argv: Sequence[str]) -> tuple[Path, ...]:
    """What a user's command names by a whole path in a place that is hidden: the package around a script, say."""
    files = (Path(word) for word in argv if os.path.isabs(word) and os.path.isfile(word))
    found = (_package(path) for file in files for path in (file, file.resolve()))
    return tuple(dict.fromkeys(filter(_is_below_hidden, found)))


def _package(file: Path) -> Path:
    """The nearest folder above that is one, or else the file alone: what lies beside it may be anything."""
    home = _home(os.environ)
    inner = (above for above in file.parents if not home.is_relative_to(above))
    return next((above for above in inner if any((above / name).exists() for name in _PACKAGE)), file)


def _repositories(place: Path) -> Iterator[Path]:
    """What git reads elsewhere for the work tree in `place`: the repository it is of, and what that borrows."""
    own = place / ".git"
    with suppress(OSError, ValueError):
        if own.is_file():
            own = (place / own.read_text().strip().removeprefix("gitdir:").strip()).resolve()
            yield own
        common = own / "commondir"
        if common.is_file():
            own = (own / common.read_text().strip()).resolve()
            yield own
        borrowed = own / "objects" / "info" / "alternates"
        for line in borrowed.read_text().splitlines() if borrowed.is_file() else ():
            if (lender := own / "objects" / line).is_dir():
                yield lender.resolve()


def _why(error: Exception) -> str:
    """For a person: what would help, where the program is not there."""
    if not isinstance(error, SandboxError):
        return str(error)
    return f"{error.why}; install bubblewrap" if error.name == "bwrap" and shutil.which("bwrap") is None else error.why


def _last_line(output: bytes) -> str:
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
