"""Where this process, and all that it starts, may write, and whom it may end: the kernel's Landlock holds it there."""

import ctypes
import os
import struct
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
    """From now on files can be made, changed and removed only in these folders; False where the kernel can not do it.

    Existing devices can be written, and shared memory is free. Modes and times of files elsewhere are not covered. It
    can not be undone.
    """
    version = _version()
    if version < _NEEDED:
        return False
    writing = _WRITE | (_TRUNCATE if version > _NEEDED else 0)
    everything = writing | _REMOVE_AND_MAKE | _REFER
    allowed = [*((one, everything) for one in (*folders, _SHARED)), (_DEVICES, writing)]
    return _restricted(struct.pack("Q", everything), allowed)


def keep_signals_inside() -> bool:
    """From now on this process can end only those that it starts itself; False where the kernel can not do it."""
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
