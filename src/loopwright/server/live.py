"""What all streams share: a lookout for each source, and the streams themselves."""

from pathlib import Path

from loopwright.server.asking import Control
from loopwright.server.kinds import Source
from loopwright.server.lookout import Lookout
from loopwright.server.news import News
from loopwright.server.sse import Streams


class Live:
    """Belongs to one event loop. `folder`: where the feed is kept."""

    def __init__(self, control: Control, folder: Path) -> None:
        self.streams = Streams()
        self._lookouts: dict[str, Lookout] = {}
        self.news = News(control, self.lookout, folder)

    def lookout(self, source: Source) -> Lookout:
        known = self._lookouts.get(source.name)
        return known or self._lookouts.setdefault(source.name, Lookout(source.service.store))

    def end(self) -> None:
        """Ends every stream at once."""
        self.streams.close()

    def close(self) -> None:
        self.news.close()
