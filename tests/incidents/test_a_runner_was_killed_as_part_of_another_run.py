"""Two runs that a worker of the fleet began at the same moment: one's runner was killed as what the other had left."""

import subprocess
import threading
from pathlib import Path

from loopwright.processes.process_tree import ProcessMark, kill_marked
from loopwright.processes.runner_processes import start_apart


def test_what_is_started_while_another_run_starts_something_is_none_of_it(tmp_path: Path) -> None:
    mark = ProcessMark("loop-1", str(tmp_path))
    begun = threading.Event()

    def start_slowly() -> None:
        with mark.handed_on():
            begun.set()
            threading.Event().wait(0.1)

    thread = threading.Thread(target=start_slowly)
    thread.start()
    begun.wait()
    runner = start_apart(("sleep", "0.2"), tmp_path, tmp_path / "log", subprocess.DEVNULL)
    assert kill_marked(mark) == ()
    assert runner.wait() == 0
    thread.join()
