"""What can not be one of our files is moved aside: a folder, a link, a pipe that somebody put in its place."""

import contextlib
import errno
import os
import stat
import time

ODD = frozenset({errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM})
"""What opening something says that is no plain file of ours."""


def is_plain(path: str) -> bool:
    """Whether a regular file stands there itself, not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def move_aside(path: str) -> None:
    """Whoever put it there finds it again, under a name of its own. Links are moved, not followed."""
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, f"{path}.damaged-{time.time_ns()}")
