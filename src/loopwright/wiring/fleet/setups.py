"""What the set-up commands of projects have made on this machine, kept for the next runs that need the same."""

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from loopwright.core.errors import WorkspaceError
from loopwright.core.private_files import make_private_folder
from loopwright.evidence.environment import IGNORE_RULES, MANIFEST
from loopwright.workspace.listing import OURS
from loopwright.workspace.private_git import run_git

KEPT = 10
"""Set-ups of a worker, the latest used ones."""


class KeptSetups:
    """Of one worker: `folder` has an archive for each, of the files that git ignores.

    Each is for one place alone, as tools write absolute paths into what they install.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lay_out(self, key: str, project: Path) -> str | None:
        """Puts the files into a fresh checkout; gives the tree that they were made for, None where there are none.

        WorkspaceError.
        """
        found = next(self._folder.glob(f"{key}-*.tar"), None)
        if found is None:
            return None
        try:
            with suppress(FileNotFoundError):
                os.utime(found)
            _tar("-xpkf", str(found), cwd=project)  # what is there already is not ours
        except WorkspaceError:  # the next one makes it anew
            found.unlink(missing_ok=True)
            raise
        return found.stem.removeprefix(f"{key}-")

    def keep(self, key: str, tree: str, project: Path) -> None:
        """In the place of what is there for this `key`. WorkspaceError, OSError."""
        make_private_folder(self._folder)
        descriptor, part = tempfile.mkstemp(dir=self._folder, suffix=".part")
        os.close(descriptor)
        try:
            names = [name for name in _listed(project, "--ignored", "--directory") if name.split(b"/")[0] not in OURS]
            _tar("-cf", part, "--null", "-T", "-", cwd=project, names=names)
            for old in self._folder.glob(f"{key}-*.tar"):
                old.unlink(missing_ok=True)
            os.replace(part, self._folder / f"{key}-{tree}.tar")
        finally:
            Path(part).unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another slot does the same
            for old in sorted(self._folder.glob("*.tar"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
                old.unlink()

    def clear(self) -> None:
        """Removes what a killed worker was about to keep."""
        for part in self._folder.glob("*.part"):
            part.unlink()


def setup_key(project: Path, *words: str) -> str:
    """The same for the same words, lock files, manifests and rules for what git ignores, in the same place."""
    digest = hashlib.sha256(repr((str(project), words)).encode())
    for name in sorted(_listed(project, "--cached")):
        if MANIFEST.fullmatch(os.fsdecode(name)) or IGNORE_RULES.fullmatch(os.fsdecode(name)):
            with suppress(OSError):
                digest.update(name + b"\0" + (project / os.fsdecode(name)).read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def _listed(project: Path, *words: str) -> list[bytes]:
    """Names, as git lists them, with those of new files. WorkspaceError."""
    done = run_git("ls-files", "-z", "--others", "--exclude-standard", *words, cwd=project)
    if done.returncode:
        raise WorkspaceError(f"git ls-files failed: {os.fsdecode(done.stderr).strip()}")
    return [name for name in done.stdout.split(b"\0") if name]


def _tar(*words: str, cwd: Path, names: Sequence[bytes] = ()) -> None:
    given = b"\0".join(b"./" + name for name in names)
    done = subprocess.run(("tar", *words), cwd=cwd, input=given, capture_output=True, check=False)
    if done.returncode:
        raise WorkspaceError(f"tar {words[0]} failed: {os.fsdecode(done.stderr).strip()[-300:]}")
