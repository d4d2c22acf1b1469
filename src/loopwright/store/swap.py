"""Two files that take turns under one name: replaces a file without making and unmaking one each time.

On ext4 creating a file and freeing the one it replaces cost more than the sync of the journal. So the file that was
replaced is kept as a spare, and written again next time: but only if nobody has it open, because a reader that has
would see half of it.
"""

import ctypes
import fcntl
import os
import signal
import stat

from loopwright.store.aside import ODD, move_aside

AT_FDCWD = -100
EXCHANGE = 2

_renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def take_spare(path: str) -> int | None:
    """A descriptor of the spare, or None when there is none that is ours alone.

    A link is not followed, and a file that has another name as well is left to that name. The kernel grants a write
    lease only on a file that nobody else has open. It is given back at once; should somebody open the file in between,
    the kernel tells us with a signal, for which one is named that is ignored.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in ODD:
            raise
        move_aside(path)
        return None
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(fd)
        os.unlink(path)
        return None
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        os.close(fd)
        os.unlink(path)
        return None
    return fd


def exchange(spare: str, path: str) -> None:
    """Both names change places; where that is not possible, or nothing stands at `path`, the spare just moves there."""
    if _renameat2 is None or _renameat2(AT_FDCWD, os.fsencode(spare), AT_FDCWD, os.fsencode(path), EXCHANGE):
        os.rename(spare, path)
