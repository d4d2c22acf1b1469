"""Removing what agents have left, however they left it."""

import os
import shutil
from pathlib import Path

from loopwright.domain.errors import WorkspaceError

_ATTEMPTS = 3


def remove_all(path: Path) -> None:
    """Removes a file, a link (never what it leads to), or a folder with all below it. WorkspaceError."""
    for attempt in range(_ATTEMPTS):
        try:
            if path.is_symlink() or not path.is_dir():
                path.unlink(missing_ok=True)
            else:
                _open_up(path)
                shutil.rmtree(path)
            return
        except OSError as error:  # somebody may still write, move or remove there
            if attempt == _ATTEMPTS - 1:
                raise WorkspaceError(f"{path} could not be removed: {error.strerror}") from error


def _open_up(folder: Path) -> None:
    """Makes all folders writable: some tools write-protect what they unpack."""
    os.chmod(folder, 0o700)
    for at, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(inner := os.path.join(at, name)):
                os.chmod(inner, 0o700)
