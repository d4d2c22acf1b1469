"""A disk that does what disks do: it fills up, breaks, loses its power; each call can be chosen to go wrong."""

import errno
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from loopwright.store.disk import Disk

Trouble = Literal["full", "broken", "short", "dies before", "dies halfway", "dies after"]
WRITES = ("append", "sync", "truncate", "rename", "exchange", "sync_folder", "make_folder", "remove")
READS = ("read", "read_at")
ERRORS: dict[Trouble, int] = {"full": errno.ENOSPC, "broken": errno.EIO, "short": errno.ENOSPC}


class Died(BaseException):
    """No handler of the program knows this one, as none knows of a kill."""


class FaultyDisk(Disk):
    """`plan(call, nth)` says what happens to the nth call of all, from 0.

    `durable` is what a loss of power leaves; processes share it.
    """

    def __init__(self, durable: dict[str, bytes] | None = None) -> None:
        self.plan: Callable[[str, int], Trouble | None] = lambda call, nth: None
        self.calls: list[str] = []
        self.durable = {} if durable is None else durable
        self.dead = False

    def once(self, call: str, trouble: Trouble, nth: int = 0) -> None:
        """The nth call of that name from now on goes wrong, and no other."""
        left = [nth]

        def plan(name: str, _: int) -> Trouble | None:
            if name == call:
                left[0] -= 1
            return trouble if name == call and left[0] == -1 else None

        self.plan = plan

    def _ask(self, call: str, half: Callable[[], object] | None = None) -> bool:
        """Whether the process shall die after this call; raises what shall happen before or halfway."""
        if self.dead:
            raise Died
        trouble = self.plan(call, len(self.calls))
        self.calls.append(call)
        if trouble in ("short", "dies halfway") and half:
            half()
        if trouble in ("dies before", "dies halfway"):
            self.die()
        if trouble in ERRORS:
            raise OSError(ERRORS[trouble], os.strerror(ERRORS[trouble]))
        return trouble == "dies after"

    def die(self) -> None:
        self.dead = True
        raise Died

    def _do(self, call: str, work: Callable[[], None], half: Callable[[], object] | None = None) -> None:
        dies = self._ask(call, half)
        work()
        if dies:
            self.die()

    def read(self, path: str) -> bytes | None:
        self._ask("read")
        return super().read(path)

    def read_at(self, fd: int, start: int, length: int) -> bytes:
        self._ask("read_at")
        return super().read_at(fd, start, length)

    def append(self, fd: int, at: int, data: bytes) -> None:
        half = lambda: super(FaultyDisk, self).append(fd, at, data[: len(data) // 2])  # noqa: E731
        self._do("append", lambda: super(FaultyDisk, self).append(fd, at, data), half)

    def sync(self, fd: int) -> None:
        self._do("sync", lambda: self._synced(fd))

    def _synced(self, fd: int) -> None:
        super().sync(fd)
        path = os.readlink(f"/proc/self/fd/{fd}")
        if Path(path).exists():
            self.durable[path] = Path(path).read_bytes()

    def truncate(self, fd: int, size: int) -> None:
        self._do("truncate", lambda: super(FaultyDisk, self).truncate(fd, size))

    def rename(self, fresh: str, path: str) -> None:
        if fresh in self.durable:
            self.durable[path] = self.durable[fresh]
        self._do("rename", lambda: super(FaultyDisk, self).rename(fresh, path))

    def exchange(self, spare: str, path: str) -> None:
        self._do("exchange", lambda: super(FaultyDisk, self).exchange(spare, path))

    def sync_folder(self, path: str) -> None:
        self._do("sync_folder", lambda: super(FaultyDisk, self).sync_folder(path))

    def make_folder(self, path: Path) -> None:
        self._do("make_folder", lambda: super(FaultyDisk, self).make_folder(path))

    def remove(self, path: str) -> None:
        self._do("remove", lambda: super(FaultyDisk, self).remove(path))


def lose_power(folder: Path, durable: dict[str, bytes], chance: random.Random) -> None:
    """What was synced is there; of the rest the journal keeps a piece, perhaps of zeros, and the JSON file anything."""
    for path in folder.iterdir():
        if not path.is_file() or path.suffix in (".lock", ".lease"):
            continue
        now, kept = path.read_bytes(), durable.get(str(path), b"")
        if path.name.endswith(".events.ndjson"):
            assert now.startswith(kept), "only what was never acknowledged may lie behind what is durable"
            more = now[len(kept) : chance.randint(len(kept), len(now))]
            path.write_bytes(kept + (bytes(len(more)) if chance.random() < 0.3 else more))
        elif not kept:
            path.write_bytes(chance.choice([now, b"", bytes(len(now)), now[: chance.randint(0, len(now))]]))
        os.utime(path, (1_000_000, 1_000_000))
