"""What all streams share: one lookout a project, and the streams themselves."""

from loopwright.projects import Project
from loopwright.server.lookout import Lookout
from loopwright.server.sse import Streams


class Live:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self.streams = Streams()
        self._lookouts: dict[str, Lookout] = {}

    def lookout(self, project: Project) -> Lookout:
        known = self._lookouts.get(project.name)
        return known or self._lookouts.setdefault(project.name, Lookout(project.engine.service.store))

    def close(self) -> None:
        """Ends every stream at once."""
        self.streams.close()
