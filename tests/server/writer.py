"""A process of its own that changes loops at random: `python -m tests.server.writer ROOT SEED CHANGES OWN,… LOOP…`.

It writes notes into the transcripts of its own loops only, as the runner of a loop does.
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from loopwright.core.record import JournalEvent
from loopwright.core.transcript import TRANSCRIPT
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState


def noting(text: str) -> Callable[[LoopState], LoopState]:
    return lambda state: state.evolve(notes=text)


def main() -> None:
    root, seed, changes, own, *ids = sys.argv[1:]
    chance = random.Random(seed)
    with FileStore(Path(root), LOOPS, SystemClock("+08:00")) as store:
        for n in range(int(changes)):
            time.sleep(chance.random() * 0.02)
            id = chance.choice(ids)
            event = JournalEvent(type="edited", data={"by": f"{seed}-{n}"})
            rev = store.update(id, noting(f"{seed}-{n}"), actor="cli", event=event).engine.rev
            for m in range(chance.choice([0, 0, 1, 3]) if id in own.split(",") else 0):
                note = {"ts": "2026-01-22T10:00:00+00:00", "after": rev, "kind": "said", "text": f"{seed}-{n}-{m}"}
                store.append_progress(id, TRANSCRIPT, [orjson.dumps(note)])


if __name__ == "__main__":
    main()
