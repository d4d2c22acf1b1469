"""What a program finds in a sandbox: which paths, which network, and the command that makes it so.

Decides alone, and touches no file; what there is on this machine is found out in `confinement`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict, assert_never

Access = Literal["read", "write", "empty", "masked", "device", "link"]
"""`empty`: a folder in memory in its place, gone with the sandbox; `masked`: a file that cannot be read; `device`: a
path below /dev; `link`: a link that leads to its source."""


class Mount(NamedTuple):
    """What stands at a path of the sandbox: something of the machine, the same path unless a `source` is named."""

    access: Access
    source: Path | None = None


@dataclass(frozen=True)
class SandboxNeeds:
    """What a program needs beside its working directory, which it may write.

    `folders` that its own settings name (`~/.codex`, `${CODEX_HOME:-~/.codex}`) are kept from one process to the next,
    and made where they are missing. `cache` names the folder of the run that becomes ~/.cache. `pausing`: whether it
    may write is said again and again, while it runs.
    """

    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    folders: tuple[str, ...] = ()
    network: bool = False
    cache: str = "tests"
    pausing: bool = False


class NamedHost(NamedTuple):
    """A TCP port of a host that a program without a network reaches all the same, at an `address` of its loopback."""

    name: str
    port: int
    address: str


@dataclass(frozen=True)
class HostPaths:
    """What the machine has, all real paths. `hidden` folders hold what is somebody's; `masked` files are secret.

    `named`: the home directory as the environment names it, where that is by a link. `temporary`: where
    temporary files are. `tools`: what of the hidden a program may read all the same. `guarded`: files of /proc that
    root could write.
    """

    home: Path
    hidden: tuple[Path, ...]
    named: Path | None = None
    temporary: Path | None = None
    masked: tuple[Path, ...] = ()
    tools: tuple[Path, ...] = ()
    guarded: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ProjectPaths:
    """`kept`: of the project, and of the folder that the run works in, what only the engine and people write.

    `elsewhere`: the run's own trees, and what git needs of other folders. `extra`: what the settings name, with what
    may be done there.
    """

    root: Path
    kept: tuple[Path, ...] = ()
    elsewhere: tuple[Path, ...] = ()
    extra: tuple[tuple[Path, Access], ...] = ()


Level = Literal["processes", "mounts", "landlock"]
"""What the kernel gives without anything installed: mounts and a process table of one's own; mounts alone; Landlock."""


class SandboxPlan(TypedDict):
    """What `sandbox_entry` does. `table`: access, path and source; `guarded`: paths of /proc, as in `HostPaths`.

    `control`: a descriptor that says when the `changing` paths can be written; -1 where nobody does. `hosts`: addresses
    and ports to listen at, for whoever gets the sockets through the descriptor `relay`.
    """

    level: Level
    parent: int
    network: bool
    cwd: str
    table: list[tuple[str, str, str]]
    guarded: list[str]
    environment: dict[str, str]
    control: int
    changing: list[str]
    hosts: list[tuple[str, int]]
    relay: int


TEMPORARY = (Path("/tmp"), Path("/var/tmp"))
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_ADDRESS = re.compile(r"[0-9.]+")
_MOST_HOSTS = 200
"""As many sockets as the kernel hands over at once, and some less."""


def lay_out(
    host: HostPaths, project: ProjectPaths, cwd: Path, needs: SandboxNeeds, folders: Mapping[Path, Path]
) -> dict[Path, Mount]:
    """What stands where, over `/` as it can be read. What lies deeper comes later, and holds.

    `folders`: those of the program's own, by where they are, with what is mounted there; where temporary files are not
    among them, they are in memory.
    """
    inside = cwd.is_relative_to(project.root)
    own = (path for path, source in folders.items() if path == source)
    written = (cwd, *own, *needs.writable, *((project.root,) if inside else ()))
    named = (path for path in needs.readable if not any(path.is_relative_to(place) for place in written))
    table = {
        **_all((*TEMPORARY, *host.hidden, host.home), "empty"),
        **_all(host.masked, "masked"),
        **_all((*host.tools, *project.elsewhere, *named), "read"),
        project.root: Mount("write" if inside else "read"),
        cwd: Mount("write"),
        **{path: Mount("write", source) for path, source in folders.items()},
        **_all(needs.writable, "write"),
        **_all(project.kept, "read"),
        **{path: Mount(access) for path, access in project.extra},
    }
    if host.temporary and not is_writable(host.temporary, table):
        table[host.temporary] = Mount("empty")
    if host.named and host.named not in table and _is_hidden(host.named, table):
        table[host.named] = Mount("link", host.home)
    return dict(sorted(table.items(), key=lambda item: len(item[0].parts)))


def is_writable(path: Path, table: Mapping[Path, Mount]) -> bool:
    """Whether that path is there, and a program can write to it, by the mount that it lies in."""
    place = innermost(path, table)
    return place is not None and (table[place].access == "write" or (table[place].access == "empty" and place == path))


def innermost(path: Path, table: Mapping[Path, Mount]) -> Path | None:
    """The place of the mount that it lies in; None where that is the root's."""
    around = (place for place in table if path.is_relative_to(place))
    return max(around, key=lambda place: len(place.parts), default=None)


def mask_sockets(sockets: Iterable[Path], table: Mapping[Path, Mount], extra: Iterable[Path]) -> dict[Path, Mount]:
    """The table without what listens at these paths: but for the program's own folders and what is named `extra`."""
    named = tuple(extra)
    shown = (
        path
        for path in sockets
        if (place := innermost(path, table)) is None or (table[place].access == "read" and place not in named)
    )
    return dict(sorted({**table, **_all(shown, "masked")}.items(), key=lambda item: len(item[0].parts)))


def _is_hidden(path: Path, table: Mapping[Path, Mount]) -> bool:
    """Whether nothing is there, because it is below a folder that is empty, or another one's."""
    return any(
        (mount.access == "empty" or mount.source) and path.is_relative_to(place) for place, mount in table.items()
    )


def _all(paths: Iterable[Path], access: Access) -> dict[Path, Mount]:
    return dict.fromkeys(paths, Mount(access))


def bubblewrap_command(
    argv: Sequence[str], table: Mapping[Path, Mount], host: HostPaths, cwd: Path, *, network: bool, status: int
) -> list[str]:
    """`argv` within these paths, in namespaces of its own, without privileges, and ended with whoever started it.

    The descriptor `status` hears of the exit; of none where the sandbox could not be made.
    """
    return [
        *("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"),
        *(() if network else ("--unshare-net",)),
        *("--json-status-fd", str(status)),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(word for path in host.guarded for word in ("--ro-bind", str(path), str(path))),
        *(word for path, mount in table.items() for word in _mounted(path, mount)),
        *("--chdir", str(cwd), "--", *argv),
    ]


def _mounted(path: Path, mount: Mount) -> tuple[str, ...]:
    source = str(mount.source or path)
    match mount.access:
        case "empty":
            return ("--tmpfs", str(path))
        case "masked":
            return ("--ro-bind", "/dev/null", str(path))
        case "read":
            return ("--ro-bind", source, str(path))
        case "write":
            return ("--bind", source, str(path))
        case "device":
            return ("--dev-bind", source, str(path))
        case "link":
            return ("--symlink", source, str(path))
        case never:
            assert_never(never)


def plan_entry(
    level: Level, table: Mapping[Path, Mount], host: HostPaths, cwd: Path, *, network: bool, parent: int
) -> SandboxPlan:
    """The same for an entry of ours, started by `parent`. Where nothing is mounted, variables say what is elsewhere."""
    rows = [(str(mount.access), str(path), str(_source(path, mount))) for path, mount in table.items()]
    elsewhere = {path: source for access, path, source in rows if access == "write" and path != source}
    named = {"TMPDIR": host.temporary or TEMPORARY[0], "XDG_CACHE_HOME": host.home / ".cache"}
    moved = {name: elsewhere[str(path)] for name, path in named.items() if str(path) in elsewhere}
    return {
        "level": level,
        "parent": parent,
        "network": network,
        "cwd": str(cwd),
        "table": rows,
        "guarded": [str(path) for path in host.guarded],
        "environment": moved if level == "landlock" else {},
        "control": -1,
        "changing": [],
        "hosts": [],
        "relay": -1,
    }


def _source(path: Path, mount: Mount) -> Path:
    return Path("/dev/null") if mount.access == "masked" else mount.source or path


_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def expand_folder(template: str, environment: Mapping[str, str], home: Path) -> Path:
    """`${CODEX_HOME:-~/.codex}` as this environment means it; `~` is `home`. What is relative begins there."""
    text = _VARIABLE.sub(lambda found: environment.get(found[1]) or found[2], template)
    return home / (text.removeprefix("~").lstrip("/") if text.startswith("~") else text)


def read_extra(words: str, project: Path, home: Path) -> tuple[Path, Access]:
    """An entry of `sandbox_paths`: a path, with `:rw` behind it where it may be written."""
    text, colon, ending = words.rpartition(":")
    text, may_write = (text, True) if colon and ending == "rw" else (words, False)
    path = home / text[1:].lstrip("/") if text == "~" or text.startswith("~/") else project / text
    if may_write and path.is_relative_to("/dev"):
        return path, "device"
    return path, "write" if may_write else "read"


def read_hosts(words: Sequence[str]) -> tuple[NamedHost, ...]:
    """The entries of `sandbox_hosts`, one for each address and port. ValueError, with what would be right."""
    found: dict[tuple[str, int], NamedHost] = {}
    addresses: dict[str, str] = {"localhost": "127.0.0.1"}
    for entry in words:
        name, colon, port = entry.rpartition(":")
        if not colon or not _HOST_NAME.fullmatch(name) or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise ValueError(f"{entry!r} is no host with a port; write localhost:5432 or db.example.org:5432")
        if _ADDRESS.fullmatch(name):
            if not name.startswith("127."):
                raise ValueError(f"{entry!r} is an address; name the host, as in /etc/hosts")
            addresses[name] = name
        address = addresses.setdefault(name, f"127.0.1.{len(addresses)}")
        found.setdefault((address, int(port)), NamedHost(name, int(port), address))
    if len(found) > _MOST_HOSTS:
        raise ValueError(f"there are {len(found)} hosts; {_MOST_HOSTS} are the most")
    return tuple(found.values())


def write_hosts_file(hosts: Iterable[NamedHost]) -> str:
    """What resolves their names, and no others."""
    lines = {f"{host.address} {host.name}" for host in hosts if host.name != host.address}
    return "\n".join(["127.0.0.1 localhost", "::1 localhost", *sorted(lines - {"127.0.0.1 localhost"}), ""])
