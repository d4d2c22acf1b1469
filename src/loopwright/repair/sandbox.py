"""What a process may do before it runs candidates: limits, no network, and death with its parent."""

import ctypes
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # numbers of the system calls, the same on all machines but Alpha
_ASK_VERSION, _BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38
_NEEDED = 2  # before this version, no file could be moved from one folder to another
_WRITE, _REMOVE_AND_MAKE, _REFER, _TRUNCATE = 1 << 1, sum(1 << n for n in range(4, 13)), 1 << 13, 1 << 14
_SIGNALS_FROM, _SIGNALS = 6, 1 << 1
_DEVICES, _SHARED = "/dev", "/dev/shm"
_libc = ctypes.CDLL(None, use_errno=True)


def keep_writing_inside(folders: Sequence[str]) -> bool:
    """From now on files can be made, changed and removed only in these folders; False where the kernel cannot do it.

    Existing devices can be written, and shared memory is free. Modes and times of files elsewhere are not covered. It
    cannot be undone.
    """
    version = _version()
    if version < _NEEDED:
        return False
    writing = _WRITE | (_TRUNCATE if version > _NEEDED else 0)
    everything = writing | _REMOVE_AND_MAKE | _REFER
    allowed = [*((one, everything) for one in (*folders, _SHARED)), (_DEVICES, writing)]
    return _restricted(struct.pack("Q", everything), allowed)


def keep_signals_inside() -> bool:
    """From now on this process can end only those that it starts itself; False where the kernel cannot do it."""
    return _version() >= _SIGNALS_FROM and _restricted(struct.pack("QQQ", 0, 0, _SIGNALS), ())


def _version() -> int:
    return _call(_CREATE, None, 0, _ASK_VERSION)


def _restricted(rules: bytes, allowed: Sequence[tuple[str, int]]) -> bool:
    ruleset = _call(_CREATE, rules, len(rules), 0)
    if ruleset < 0:
        return False
    try:
        for folder, rights in allowed:
            with suppress(FileNotFoundError):
                _allow(ruleset, folder, rights)
        _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return _call(_RESTRICT, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _allow(ruleset: int, folder: str, rights: int) -> None:
    descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, descriptor)
        _call(_ADD, ruleset, _BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: int | bytes | None) -> int:
    return int(_libc.syscall(number, *(ctypes.c_long(one) if isinstance(one, int) else one for one in arguments)))


_NEW_MOUNTS, _NEW_USER, _NEW_PID, _NEW_NET = 0x20000, 0x10000000, 0x20000000, 0x40000000
_PARENT_DEATH, _ADMIN = 1, 21
_GIBI = 1 << 30


def die_with_parent() -> None:
    """The kernel kills this process when the one that started it ends. Not inherited: each fork calls it."""
    parent = os.getppid()
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died between the two calls
        os.kill(os.getpid(), signal.SIGKILL)


def limit_process(cpu_seconds: int, memory: int = 4 * _GIBI, file_size: int = _GIBI // 4) -> None:
    """Bounds of this process and of each it forks, in seconds and bytes; it can end none that was there before it."""
    keep_signals_inside()
    for kind, bound in (
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))


def enter_namespaces(more: int = 0) -> bool:
    """Moves this program into namespaces of users and mounts, and `more`; it stays who it is. False if not allowed."""
    user, group = os.getuid(), os.getgid()
    if user == 0 and not _has_capability(_ADMIN):  # root without privileges, as in a sandbox of the engine's
        return False
    if _libc.unshare(_NEW_USER | _NEW_MOUNTS | more) != 0:
        return False
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    return True


def isolate_process() -> bool:
    """Moves this program into namespaces without network, with its own mounts and process table; False if not allowed.

    Goes on in a child that is the table's first process: when it ends, the kernel ends all that it started.
    """
    if not enter_namespaces(_NEW_PID | _NEW_NET):
        return False
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    # tests that talk to a server of their own on 127.0.0.1 must still work
    import fcntl
    import struct

    up = struct.pack("16sh14x", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, up)  # SIOCSIFFLAGS
    return True


def _has_capability(number: int) -> bool:
    with open("/proc/self/status") as file:
        held = next(line.split()[1] for line in file if line.startswith("CapEff:"))
    return bool(int(held, 16) >> number & 1)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
