"""Nothing is missed and nothing comes twice: readers that go away at random, a server that is killed, many writers."""

import random
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import orjson

from loopwright.core.transcript import TRANSCRIPT
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests.browser.served import ROOT, Served, served
from tests.chance import SEED
from tests.server.listening import Listener
from tests.store.making import HandClock, loop
from tests.waiting import until

WRITERS, CHANGES, KILLS = 3, 150, 1
LOOPS_WRITTEN = ("loop-1", "loop-2", "loop-3", "loop-4")


def begun(server: Served) -> Path:
    root = server.project()
    with FileStore(root, LOOPS, HandClock()) as store:
        for id in LOOPS_WRITTEN:
            store.create(loop(id), actor="cli")
    server.start()
    return root


def writers(server: Served, root: Path) -> list[subprocess.Popen[bytes]]:
    """Each loop's transcript has one writer, as it has one runner; all change all loops."""
    own = ("loop-1,loop-2", "loop-3", "loop-4")
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.server.writer",
                str(root),
                f"{SEED}-{n}",
                str(CHANGES),
                own[n],
                *LOOPS_WRITTEN,
            ],
            cwd=ROOT,
        )
        for n in range(WRITERS)
    ]


def has_seen(reader: Listener, many: int, working: Sequence[subprocess.Popen[bytes]] = ()) -> bool:
    """Or nothing more will come, because all who wrote have ended."""
    return len(reader.seen) >= many or (bool(working) and all(one.poll() is not None for one in working))


def test_every_change_reaches_every_reader_once_and_in_order(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with served(tmp_path) as server:
        root = begun(server)
        paths = ["/api/stream", *(f"/api/loops/v2/{id}/stream" for id in LOOPS_WRITTEN)]
        readers = [
            Listener(server.port, server.token, path, random.Random(f"{SEED}{n}{path}") if n else None).start()
            for path in paths
            for n in range(2)
        ]
        working = writers(server, root)
        for _ in range(KILLS):
            mark = len(readers[0].seen) + chance.randrange(1, 60)
            until(partial(has_seen, readers[0], mark, working))
            server.kill()
            server.start()
        assert [one.wait() for one in working] == [0] * WRITERS
        with FileStore(root, LOOPS, HandClock()) as store:
            revs = dict(store.revs())
            notes = {id: (store.progress_path(id) / TRANSCRIPT).read_bytes().splitlines() for id in LOOPS_WRITTEN}
        for reader in readers:
            own = [id for id in LOOPS_WRITTEN if id in reader.path] or LOOPS_WRITTEN
            expected = {id: list(range(2, revs[id] + 1)) for id in own}
            said = [orjson.loads(line) for line in notes[own[0]]] if len(own) == 1 else []
            many = len(said) + sum(map(len, expected.values()))
            until(partial(has_seen, reader, many))
            reader.stop()
            assert reader.seqs() == expected
            assert [one.data for one in reader.of("note")] == said
            assert len(reader.seen) == many
            assert_in_order(reader)
        assert sum(reader.connections for reader in readers) > len(readers) * (KILLS + 1)


def assert_in_order(reader: Listener) -> None:
    """A note comes behind the entry that it was written after."""
    seq = 1
    for one in reader.seen:
        if one.event == "entry":
            seq = one.data["seq"]
        elif one.event == "note":
            assert one.data["after"] <= seq
