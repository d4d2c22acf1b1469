"""What happened to one state, read from the end of its journal backwards."""

from loopwright.domain.errors import Corrupt
from loopwright.domain.events import Entry
from loopwright.store.disk import Disk
from loopwright.store.journal import ANY, Scan, scan
from loopwright.store.known import CHUNK, journal_of
from loopwright.store.paths import Paths


def entries(disk: Disk, paths: Paths, after: int) -> tuple[Entry, ...]:
    """Entries with seq > after. Corrupt when a damaged line is among them."""
    size = journal_of(paths).size
    if not size:
        return ()
    with disk.open(paths.journal) as fd:
        chunk = CHUNK
        while True:
            start = max(0, size - chunk)
            tail = _tail(disk.read_at(fd, start, size - start), start)
            if start == 0 or (tail.lines and tail.lines[0].seq <= after + 1):
                break
            chunk *= 4
    if tail.rest == "damage":
        raise Corrupt(f"the journal {paths.journal} is damaged at byte {tail.end}")
    return tuple(line.entry for line in tail.lines if line.seq > after)


def _tail(data: bytes, start: int) -> Scan:
    """The whole lines in `data`; unless it is a journal's beginning, its first line may have been cut."""
    cut = data.find(b"\n") + 1 if start else 0
    return scan(data[cut:], start + cut, after=ANY if start else None)
