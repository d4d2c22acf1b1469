"""What a process may do before it runs candidates: limits, no network, and death with its parent."""

import ctypes
import os
import resource
import signal
import socket
import sys

from .confinement import keep_signals_inside

_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000
_PARENT_DEATH = 1
_GIBI = 1 << 30
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """The kernel kills this process when the one that started it ends. Not inherited: each fork calls it."""
    parent = os.getppid()
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died between the two calls
        os.kill(os.getpid(), signal.SIGKILL)


def limit(cpu_seconds: int, memory: int = 4 * _GIBI, file_size: int = _GIBI // 4) -> None:
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


def isolate() -> bool:
    """Moves this program into namespaces without network and with its own process table; False where not allowed.

    Goes on in a child that is the table's first process: when it ends, the kernel ends all that it started.
    """
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEW_USER | _NEW_PID | _NEW_NET) != 0:
        return False
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    _raise_loopback()
    return True


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _raise_loopback() -> None:
    """Tests that talk to a server of their own on 127.0.0.1 must still work."""
    import fcntl
    import struct

    up = struct.pack("16sh14x", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, up)  # SIOCSIFFLAGS
