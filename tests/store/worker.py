"""A process that works on a store: `worker.py ROOT COMMAND …`; see `main`."""

import os
import sys
from pathlib import Path

from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from tests.store.making import EDITED, ID, tagging


def main(root: str, command: str, *arguments: str) -> None:
    """`tags NAME COUNT` tells each acknowledged tag on stdout.

    `lease` holds it until stdin ends; `fork` holds it with a child that outlives its parent.
    """
    with FileStore(Path(root), LOOPS, SystemClock()) as store:
        match command, arguments:
            case "tags", (name, count):
                for n in range(int(count)):
                    store.update(ID, tagging(f"{name}-{n}"), actor=name, event=EDITED)
                    print(f"{name}-{n}", flush=True)
            case "lease", ():
                with store.lease(ID) as lease:
                    print(lease.epoch, flush=True)
                    sys.stdin.read()
            case "fork", ():
                with store.lease(ID) as lease:
                    if os.fork() == 0:
                        os.write(1, b"child\n")
                        sys.stdin.read()
                        os._exit(0)
                    os.write(1, f"{lease.epoch}\n".encode())
                    os._exit(0)
            case _:
                raise SystemExit(f"unknown: {command} {arguments}")


if __name__ == "__main__":
    main(*sys.argv[1:])
