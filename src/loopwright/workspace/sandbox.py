"""What this system offers to programs that shut themselves in: codex needs it for all modes but full access."""

import ctypes
import shutil
import subprocess
import sys
from dataclasses import dataclass

_LANDLOCK_CREATE_RULESET = 444
_VERSION = 1
_SECONDS = 10

_TRY = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.getuid(), os.getgid()
assert libc.unshare(0x10000000 | 0x00020000 | 0x40000000) == 0  # user, mount, network
for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)
assert libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None) == 0  # recursively private
"""
"""Asking for the namespaces is not enough: some systems give them, and then refuse all that they are for."""


@dataclass(frozen=True)
class Sandbox:
    """`namespaces`: a program without privileges may make some of its own. `landlock`: version, 0 where there is none.

    `bubblewrap`: path of the program; codex brings one of its own.
    """

    namespaces: bool
    landlock: int
    bubblewrap: str | None


def sandbox() -> Sandbox:
    """Tried out, in a process that ends at once. Blocks for some hundredths of a second."""
    return Sandbox(_namespaces(), _landlock(), shutil.which("bwrap"))


def _namespaces() -> bool:
    try:
        done = subprocess.run(
            (sys.executable, "-c", _TRY), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _landlock() -> int:
    version = ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)
    return max(int(version), 0)
