"""A process that commits until it is killed: `committer.py ROOT URL TOKEN`; it tells what was acknowledged."""

import sys
from itertools import count
from pathlib import Path

from loopwright.fleet.replica import PostgresReplica
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from tests.store.making import EDITED, ID, tagging


def main(root: str, url: str, token: str) -> None:
    replica = PostgresReplica(url, {ID: int(token)}.__getitem__)
    with FileStore(Path(root), LOOPS, SystemClock(), replica_of=lambda id: replica) as store:
        for n in count():
            store.update(ID, tagging(f"{token}-{n}"), actor="user", event=EDITED)
            print(f"{token}-{n}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
