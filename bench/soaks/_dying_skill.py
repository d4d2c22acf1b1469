"""A process that changes a skill, or rolls a change back, and is killed at one chosen system call.

Reads `WHAT ROOT CHANGE BACKUP NTH HOW` a line, in tabs, forks, and answers with the child's exit code. WHAT is apply or
roll_back, CHANGE a file with the pickled change; the child dies by SIGKILL `before`, `half` through or `after` its
NTH call.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopwright.skills.disk.folders import SkillFolders

CALLS = ("open", "write", "fsync", "rename", "unlink", "mkdir", "rmdir", "fchmod", "close")


def main() -> None:
    for request in sys.stdin:
        what, root, change, backup, nth, how = request.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            _die_at(int(nth), how)
            if what == "apply":
                SkillFolders().apply(Path(root), pickle.loads(Path(change).read_bytes()), Path(backup))
            else:
                SkillFolders().roll_back(Path(root), Path(backup))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _die_at(nth: int, how: str) -> None:
    """Counts from 0."""
    left = [nth]

    def dying(name: str, real: Callable[..., Any]) -> Callable[..., Any]:  # Any: whatever the system call takes
        def call(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] != -1:
                return real(*given, **named)
            if how == "half" and name == "write":
                real(given[0], bytes(given[1])[: len(given[1]) // 2])
            elif how == "after":
                real(*given, **named)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("nobody survives that")

        return call

    for name in CALLS:
        setattr(os, name, dying(name, getattr(os, name)))


if __name__ == "__main__":
    main()
