"""What the commits of those runs of a project go to first that are in the fleet; most projects have none there."""

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.core.config import Config
from loopwright.wiring.places import FLEET_MARKS, checkpoints_folder
from loopwright.workspace.checkpoints import GitWorkspace

if TYPE_CHECKING:
    from loopwright.fleet.replica import PostgresReplica


class RunReplicas:
    """Called with the id of a run, it gives its replica, or None. Nothing of the fleet is loaded before."""

    def __init__(self, root: Path, config: Config) -> None:
        self._root, self._config = root, config
        self._marks = str(root / FLEET_MARKS)

    def __call__(self, id: str) -> "PostgresReplica | None":
        if not self.has_any:
            return None
        from loopwright.wiring.fleet import read_marks

        return self._replica if id in read_marks(self._root) else None

    @property
    def has_any(self) -> bool:
        """Whether a run of the project is in the fleet now."""
        return os.path.exists(self._marks)

    def workspace(self) -> GitWorkspace:
        """The project's files; the snapshots of a run that is driven here for the fleet are brought there."""
        folder = checkpoints_folder(self._config.settings)
        if not self.has_any:
            return GitWorkspace(self._root, folder)
        from loopwright.wiring.fleet import PushingWorkspace

        return PushingWorkspace(self._root, folder)

    def close(self) -> None:
        """Ends the connection, if there is one."""
        if "_replica" in self.__dict__:
            self._replica.close()

    @cached_property
    def _replica(self) -> "PostgresReplica":
        from loopwright.wiring.fleet import open_replica

        return open_replica(self._root, self._config)
