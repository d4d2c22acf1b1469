"""Goes into a sandbox and becomes the program in it: `enter(DESCRIPTOR, (PROGRAM, …))`, in a process of its own.

The descriptor's file holds the `SandboxPlan`, as marshal writes it, and afterwards "started", or why it was not.

It is run before each program, so it imports next to nothing: ctypes, os and signal would take 10 ms to Python's own 7.
A thread of the engine's cannot do it, though Landlock's domains are of threads: namespaces of users take a process.
"""

import _ctypes
import errno
import marshal
import posix
import sys

TYPE_CHECKING = False  # as typing has it, whose import takes its time
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

    from loopwright.processes.sandbox import SandboxPlan

COMM = "lw-sandbox"
"""What these processes are called as long as they are no other program."""


class _Long(_ctypes._SimpleCData):  # type: ignore[type-arg]  # it takes none at run time
    _type_ = "l"


class _Function(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Long


class _Library:
    """The functions of C, as ctypes has them."""

    _handle = _ctypes.dlopen(None, 2)  # type: ignore[arg-type]  # as ctypes calls it

    def __getattr__(self, name: str) -> _Function:
        return _Function(_ctypes.dlsym(self._handle, name))


_libc = _Library()
_HERE = -100  # AT_FDCWD
_EMPTY_PATH, _RECURSIVE = 0x1000, 0x8000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442  # the same on all machines but Alpha, as are Landlock's
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NEW = {"mounts": 0x20000 | 0x10000000 | 0x08000000, "processes": 0x20000000, "network": 0x40000000}
_FOLDER, _FILE, _LINK = 0o040000, 0o100000, 0o120000
_PRIVATE, _READ_ONLY = 1 << 18, 1
_NOSUID, _NODEV, _NOEXEC = 2, 4, 8
_PARENT_DEATH, _DUMPABLE, _NAME, _DROP, _NO_NEW_PRIVILEGES = 1, 4, 15, 24, 38
_SET_FILE_CAPABILITIES = 1 << 31
"""Root needs it to map itself into a namespace of a program's own; it gives no more than the owner of a file has."""
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
_UNWRITTEN = ("read", "masked")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_KILL, _IGNORED = 9, (13, 25)  # PIPE and XFSZ, by Python; its module of signals takes 6 ms to import
_LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}


def _call(number: int, *arguments: int | bytes | None) -> int:
    done = int(_libc.syscall(number, *(_Long(one) if isinstance(one, int) else one for one in arguments)))
    if done < 0:
        raise OSError(_ctypes.get_errno(), posix.strerror(_ctypes.get_errno()))
    return done


def _must(result: int, what: str) -> None:
    if result != 0:
        raise OSError(_ctypes.get_errno(), f"{what}: {posix.strerror(_ctypes.get_errno())}")


def _encode(path: str) -> bytes:
    return path.encode(errors="surrogateescape")


# Mounts


def _unshare(level: str, *, network: bool) -> None:
    user, group = posix.getuid(), posix.getgid()
    flags = _NEW["mounts"] | (_NEW["processes"] if level == "processes" else 0) | (0 if network else _NEW["network"])
    _must(_libc.unshare(flags), "no namespaces")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _bring_loopback_up() -> None:
    """Programs that talk to a server of their own on 127.0.0.1 must still work."""
    request = b"lo".ljust(16, b"\0") + (0x1 | 0x40).to_bytes(2, sys.byteorder) + bytes(14)  # IFF_UP | IFF_RUNNING
    control = _libc.socket(2, 2, 0)
    _must(_libc.ioctl(control, 0x8914, request), "no loopback")  # SIOCSIFFLAGS
    posix.close(control)


def _listen(hosts: list[tuple[str, int]], relay: int) -> None:
    """Hands out a socket for each of these addresses and ports, that accepts in this network."""
    import _socket

    sockets = []
    for address, port in hosts:
        made = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        made.bind((address, port))
        made.listen(128)
        sockets.append(made)
    numbers = b"".join(made.fileno().to_bytes(4, sys.byteorder) for made in sockets)
    way = _socket.socket(fileno=relay)
    way.sendmsg([b"+"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    for made in (*sockets, way):
        made.close()


def _clone(path: str, *, read_only: bool) -> int:
    """A descriptor of what stands there, and of all mounts below, to be put elsewhere."""
    tree = _call(_OPEN_TREE, _HERE, _encode(path), 1 | posix.O_CLOEXEC | _RECURSIVE)
    if read_only:
        _protect(tree, b"", _EMPTY_PATH | _RECURSIVE)
    return tree


def _protect(at: int, path: bytes, flags: int = _RECURSIVE, *, clear: bool = False) -> None:
    """Makes the mounts there read-only, or not any more."""
    parts = (0, _READ_ONLY, _PRIVATE, 0) if clear else (_READ_ONLY, 0, _PRIVATE, 0)
    attributes = b"".join(part.to_bytes(8, sys.byteorder) for part in parts)
    _call(_MOUNT_SETATTR, at, path, flags, attributes, len(attributes))


def _put(tree: int, path: str) -> None:
    _call(_MOVE_MOUNT, tree, b"", _HERE, _encode(path), 4)  # MOVE_MOUNT_F_EMPTY_PATH
    posix.close(tree)


def _mode(path: str, *, follow: bool = True) -> int:
    """Its kind, as S_IFMT has it; 0 where nothing is."""
    try:
        return posix.stat(path, follow_symlinks=follow).st_mode & 0o170000
    except OSError:
        return 0


def _make_place(path: str, *, folder: bool) -> None:
    if _mode(path, follow=False):
        return
    if above := path.rpartition("/")[0]:
        _make_place(above, folder=True)
    if folder:
        posix.mkdir(path)
    else:
        posix.close(posix.open(path, posix.O_CREAT | posix.O_CLOEXEC, 0o600))


def _mount(kind: bytes, path: str, flags: int, options: bytes = b"") -> None:
    _must(_libc.mount(kind, _encode(path), kind, _Long(flags), options), f"{kind.decode()} on {path}")


def _mount_devices(trees: dict[str, int]) -> None:
    _mount(b"tmpfs", "/dev", _NOSUID | _NOEXEC, b"mode=0755")
    for name, tree in trees.items():
        _make_place(f"/dev/{name}", folder=False)
        _put(tree, f"/dev/{name}")
    for name, target in _LINKS.items():
        posix.symlink(target, f"/dev/{name}")
    for name in ("shm", "pts"):
        posix.mkdir(f"/dev/{name}")
    _mount(b"tmpfs", "/dev/shm", _NOSUID | _NODEV, b"mode=1777")
    _mount(b"devpts", "/dev/pts", _NOSUID | _NOEXEC, b"newinstance,ptmxmode=0666,mode=620")
    posix.symlink("pts/ptmx", "/dev/ptmx")


def _lay_out(plan: "SandboxPlan") -> None:
    """The mounts of the table, over all else as it can be read."""
    bound = [
        (access, path, source, -1 if access in ("empty", "link") else _clone(source, read_only=access in _UNWRITTEN))
        for access, path, source in plan["table"]
    ]
    devices = {name: _clone(f"/dev/{name}", read_only=False) for name in _DEVICES}
    processes = _clone("/proc", read_only=False)
    _protect(_HERE, b"/")
    if plan["level"] == "processes":
        _mount(b"proc", "/proc", _NOSUID | _NODEV | _NOEXEC)
    else:
        _put(processes, "/proc")  # who makes a namespace within writes there
    for path in plan["guarded"]:
        _put(_clone(path, read_only=True), path)
    _mount_devices(devices)
    for access, path, source, tree in bound:
        if access == "empty":
            _make_place(path, folder=True)
            _mount(b"tmpfs", path, _NOSUID | _NODEV, b"mode=0755")
        elif access != "link":
            _make_place(path, folder=_mode(f"/proc/self/fd/{tree}") == _FOLDER)
            _put(tree, path)
        elif not _mode(path, follow=False):
            posix.symlink(source, path)


# Landlock

_READ = 1 | 1 << 2 | 1 << 3  # execute, read files, read folders
_OF_FILES = 1 | 1 << 1 | 1 << 2
_WRITE_SINCE = (13, 13, 14, 15, 15, 16)
"""By version of the ABI how many rights of files it has, from the first on: rename and link, truncate, devices."""
_CONNECT = 1 << 1
_SCOPES = 1 | 1 << 1  # abstract sockets, signals


def landlock_version() -> int:
    """0 where the kernel has none."""
    return max(int(_libc.syscall(_CREATE_RULESET, None, _Long(0), _Long(1))), 0)


def _restrict(plan: "SandboxPlan", version: int) -> None:
    """Without mounts of its own: files and TCP too; always: abstract sockets and signals of others."""
    alone = plan["level"] == "landlock"
    rights = (1 << _WRITE_SINCE[min(version, len(_WRITE_SINCE)) - 1]) - 1
    handled = (
        rights if alone else 0,
        _CONNECT if alone and not plan["network"] and version >= 4 else 0,
        _SCOPES if version >= 6 else 0,
    )
    size = 8 if version < 4 else 16 if version < 6 else 24
    if not any(handled):
        return
    attributes = b"".join(part.to_bytes(8, sys.byteorder) for part in handled)[:size]
    rules = _call(_CREATE_RULESET, attributes, size, 0)
    for path, writes in _allowed(plan["table"]) if alone else ():
        _allow(rules, path, rights if writes else _READ)
    for _, port in plan["hosts"] if handled[1] else ():  # whichever host has it
        _call(_ADD_RULE, rules, 2, _CONNECT.to_bytes(8, sys.byteorder) + port.to_bytes(8, sys.byteorder), 0)
    _call(_RESTRICT_SELF, rules, 0)
    posix.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    except OSError:
        return  # it is gone, or nobody can open it anyway
    if _mode(f"/proc/self/fd/{place}") != _FOLDER:
        rights &= _OF_FILES | 1 << 14 | 1 << 15
    rule = rights.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
    _call(_ADD_RULE, rules, 1, rule, 0)
    posix.close(place)


def _allowed(table: list[tuple[str, str, str]]) -> "Iterator[tuple[str, bool]]":
    """Paths, and whether they can be written: Landlock cannot forbid below what it allows, so that is taken in parts.

    What is writable is so whole, also what of it is to be kept; what stands elsewhere than where it is, is there only.
    """
    holes = {path for access, path, source in table if access in ("empty", "masked") or path != source} | {"/dev"}
    above = {path[:i] or "/" for path in holes for i, c in enumerate(path) if c == "/"} - holes

    def parts(folder: str) -> "Iterator[tuple[str, bool]]":
        if folder in holes:
            return
        if folder not in above:
            yield folder, False
            return
        try:
            names = posix.listdir(folder)
        except OSError:
            return
        for name in names:
            path = f"{folder.rstrip('/')}/{name}"
            if _mode(path, follow=False) != _LINK:
                yield from parts(path)

    yield from parts("/")
    for name in (*_DEVICES, "shm", "pts", "ptmx"):
        yield f"/dev/{name}", True
    for access, _, source in table:
        if access in ("write", "device"):
            yield source, True
        elif access == "read":
            yield from parts(source)


# The program


def _drop_privileges(kept: int = 0) -> None:
    """All but those, as bits."""
    for number in range(64):
        if kept >> number & 1:
            continue
        if _libc.prctl(_DROP, _Long(number), 0, 0, 0) != 0 and _ctypes.get_errno() == errno.EINVAL:
            break
    header = (0x20080522).to_bytes(4, sys.byteorder) + bytes(4)
    held = kept.to_bytes(4, sys.byteorder)
    _must(_libc.capset(header, held + held + bytes(16)), "privileges cannot be dropped")
    _must(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "privileges cannot be refused")


def _become(plan: "SandboxPlan", status: int, argv: list[str]) -> None:
    posix.chdir(plan["cwd"])
    if number := _KEYCTL.get(posix.uname().machine):
        _libc.syscall(number, _Long(1), None)  # a session keyring of its own; kernels without any refuse
    version = landlock_version()
    _drop_privileges(_SET_FILE_CAPABILITIES if plan["level"] != "landlock" and posix.getuid() == 0 else 0)
    if version:
        _restrict(plan, version)
    elif plan["level"] == "landlock":
        raise OSError(errno.ENOSYS, "this kernel has no Landlock, and no namespaces are allowed")
    for number in _IGNORED:
        _libc.signal(number, None)
    posix.ftruncate(status, 0)
    posix.pwrite(status, b"started", 0)
    try:
        _execute(argv, posix.environ | {k.encode(): v.encode() for k, v in plan["environment"].items()})
    except OSError:
        posix.ftruncate(status, 0)
        raise


def _execute(argv: list[str], environment: dict[bytes, bytes]) -> None:
    folders = environment.get(b"PATH", b"/bin:/usr/bin").decode(errors="surrogateescape").split(":")
    found = (
        path for folder in folders if _mode(path := f"{folder or '.'}/{argv[0]}") == _FILE and posix.access(path, 1)
    )
    program = argv[0] if "/" in argv[0] else next(found, argv[0])
    posix.execve(program, argv, environment)


def _die_with(parent: int) -> None:
    _libc.prctl(_PARENT_DEATH, _KILL, 0, 0, 0)
    if posix.getppid() != parent:
        posix._exit(1)


def _attempt(work: "Callable[[], object]", status: int) -> "NoReturn":
    """Does not return; tells why not, where it does not become the program."""
    try:
        work()
    except OSError as error:
        posix.ftruncate(status, 0)
        name = f"{error.filename}: " if error.filename else ""
        posix.pwrite(status, f"{name}{error.strerror}".encode(), 0)
    posix._exit(1)


def _await_program(plan: "SandboxPlan", status: int, argv: list[str], result: int) -> None:
    """The first of the process table: lays out, starts the program, and buries whatever dies, until that has ended."""
    _lay_out(plan)
    posix.write(result, b"+")
    program = posix.fork()
    if program == 0:
        posix.close(result)
        _attempt(lambda: _become(plan, status, argv), status)
    _drop_privileges()
    _let_go_of_streams(posix.open("/dev/null", posix.O_RDWR))
    while True:
        ended, how = posix.waitpid(-1, 0)
        if ended == program:
            posix.write(result, str(how).encode())
            posix._exit(0)


def _let_go_of_streams(null: int) -> None:
    """Whoever talks with the program hears its end when that closes its own."""
    for descriptor in (0, 1, 2):
        posix.dup2(null, descriptor)
    posix.close(null)


def _serve(plan: "SandboxPlan", heard: int) -> None:
    """Until the program has ended: makes the changing paths read-only or not, where it is told to.

    This process is in the namespace of the mounts, but not in the table of processes: nothing within can reach it.
    """
    posix.read(heard, 1)  # all is laid out
    while plan["control"] >= 0:
        ready = sys.modules["select"].select([heard, plan["control"]], [], [])[0]
        if heard in ready:
            return
        order = posix.read(plan["control"], 1)
        if not order:
            return
        try:
            for path in plan["changing"]:
                _protect(_HERE, _encode(path), 0, clear=order == b"w")
        except OSError:
            posix.write(plan["control"], b"-")
        else:
            posix.write(plan["control"], b"+")


def _enter_namespaces(plan: "SandboxPlan", status: int, argv: list[str]) -> None:
    _unshare(plan["level"], network=plan["network"])
    if not plan["network"]:
        _bring_loopback_up()
    if plan["hosts"]:
        _listen(plan["hosts"], plan["relay"])
    if plan["level"] == "mounts":
        _lay_out(plan)
        _become(plan, status, argv)
    if plan["control"] >= 0:
        import select  # noqa: F401 - before the mounts, which hide it for a moment
    heard, result = posix.pipe()
    null = posix.open("/dev/null", posix.O_RDWR)  # what the first lays out stands here, too
    first = posix.fork()
    if first == 0:
        posix.close(heard)
        if plan["control"] >= 0:
            posix.close(plan["control"])
        _die_with(0)  # whoever has started us is not of this table
        _attempt(lambda: _await_program(plan, status, argv, result), status)
    posix.close(result)
    _let_go_of_streams(null)
    _serve(plan, heard)
    how = int(posix.read(heard, 20) or b"256")
    posix.waitpid(first, 0)
    code = posix.waitstatus_to_exitcode(how)
    if code < 0:
        _libc.prctl(_DUMPABLE, 0, 0, 0, 0)
        _libc.signal(-code, None)
        posix.kill(posix.getpid(), -code)
    posix._exit(code & 0xFF)


def enter(status: int, argv: list[str]) -> None:
    posix.set_inheritable(status, False)
    plan = marshal.loads(posix.pread(status, 10_000_000, 0))
    if plan["control"] >= 0:
        posix.set_inheritable(plan["control"], False)
    _libc.prctl(_NAME, COMM.encode(), 0, 0, 0)
    _die_with(plan["parent"])
    if plan["level"] == "landlock":
        _attempt(lambda: _become(plan, status, argv), status)
    _attempt(lambda: _enter_namespaces(plan, status, argv), status)
