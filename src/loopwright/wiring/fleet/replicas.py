"""What the commits of those runs of a project go to first that are in the fleet; most projects have none there."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.config import Config
from loopwright.wiring.places import FLEET_MARKS, checkpoints_folder
from loopwright.workspace.checkpoints import GitWorkspace

if TYPE_CHECKING:
    from loopwright.core.notices import IdName
    from loopwright.fleet.replica import PostgresReplica
    from loopwright.store.files import FileStore
    from loopwright.wiring.fleet.mirror import FleetMirror


class RunReplicas:
    """Called with the id of a run, it gives its replica, or None. Nothing of the fleet is loaded before."""

    def __init__(self, root: Path, config: Config) -> None:
        self._root, self._config = root, config
        self._marks = str(root / FLEET_MARKS)
        self._kept = ExitStack()

    def __call__(self, id: str) -> "PostgresReplica | None":
        return self._replica if self.holds(id) else None

    def holds(self, id: str) -> bool:
        """Whether that run is in the fleet, so that its database decides what was committed."""
        if not self.has_any:
            return False
        from loopwright.wiring.fleet.marks import read_marks

        return id in read_marks(self._root)

    @property
    def has_any(self) -> bool:
        """Whether a run of the project is in the fleet now."""
        return os.path.exists(self._marks)

    def workspace(self) -> GitWorkspace:
        """The project's files; the snapshots of a run that is driven here for the fleet are brought there."""
        folder = checkpoints_folder(self._config.settings)
        if not self.has_any:
            return GitWorkspace(self._root, folder)
        from loopwright.wiring.fleet.marks import PushingWorkspace

        return PushingWorkspace(self._root, folder)

    def mirroring(self, stores: "Mapping[IdName, FileStore[Any]]") -> "Callable[[], FleetMirror | None]":
        """What brings those here that are driven elsewhere, while there are any, into the stores of their kinds."""

        @cache
        def mirror() -> "FleetMirror":
            from loopwright.wiring.fleet.mirror import FleetMirror

            return self._kept.enter_context(closing(FleetMirror(self._root, self._config, stores)))

        return lambda: mirror() if self.has_any else None

    def close(self) -> None:
        """Ends the connections, if there are any."""
        self._kept.close()

    @cached_property
    def _replica(self) -> "PostgresReplica":
        from loopwright.wiring.fleet.marks import open_replica

        return self._kept.enter_context(closing(open_replica(self._root, self._config)))
