"""Issues and their solutions, as another program keeps them beside the loops."""

from pathlib import Path

from loopwright.core.errors import NotFound
from loopwright.core.ids import checked
from loopwright.store.disk import Disk, DiskTrouble

FOLDER = Path(".workflow") / "issues"


class IssueFiles:
    """Implements ports.Issues on the files of the project `root`."""

    def __init__(self, root: Path) -> None:
        self._root, self._disk = root, Disk()

    def issues(self) -> str:
        return self._text(FOLDER / "issues.jsonl")

    def solutions(self, issue_id: str) -> str:
        return self._text(FOLDER / "solutions" / f"{checked(issue_id, 'issue')}.jsonl")

    @DiskTrouble()
    def _text(self, path: Path) -> str:
        found = self._disk.read(str(self._root / path))
        if found is None:
            raise NotFound(f"there is no {path.as_posix()} here")
        return found.decode(errors="replace")
