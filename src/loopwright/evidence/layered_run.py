"""A test run in the project's place, with other files than are there: they lie over it, for this run alone."""

import asyncio
import json
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from loopwright.core.ports import FileLayer, TestOrder
from loopwright.evidence.testing import TestRun
from loopwright.processes.confinement import confine, current_sandbox
from loopwright.processes.environment import current_passed, pass_secrets
from loopwright.processes.process import Patience, run_group

_NEWS = "\x1e"
"""Begins a line of output that is news (TestOrder.on_news)."""

_FAREWELL = 60.0
"""Seconds that the program around the tests may take besides them."""


async def run_layered(
    root: Path, project: Path, launcher: Sequence[str], order: TestOrder, layer: FileLayer
) -> TestRun | None:
    """See ports.TestRunner and evidence.run.ProjectTests. The launcher becomes the program that runs the tests."""
    mounts = {
        "origin": str(root),
        "changes": str(layer.folder),
        "work": f"{layer.folder}.work",
        "hidden": [os.fsdecode(name) for name in layer.hidden],
    }
    asked = pickle.dumps(
        (root, project, replace(order, on_output=None, on_news=None), current_sandbox(), current_passed())
    )
    channel = os.memfd_create("layered-run", os.MFD_CLOEXEC)
    try:
        _write(channel, json.dumps(mounts).encode() + b"\n" + asked)
        os.lseek(channel, 0, os.SEEK_SET)
        finished = await run_group(
            (*launcher, sys.executable, "-m", __name__),
            cwd=root,
            marker=order.marker,
            project=project,
            patience=Patience(order.timeout + _FAREWELL),
            stdin=channel,
            on_output=partial(_hear, order),
            needs=None,  # it puts the tests into their sandbox itself
        )
        if finished.exit_code != 0:
            return None
        return TestRun.model_validate_json(os.pread(channel, os.fstat(channel).st_size, 0))
    finally:
        os.close(channel)


def _write(channel: int, data: bytes) -> None:
    while data:
        data = data[os.write(channel, data) :]


def _hear(order: TestOrder, output: str) -> None:
    for line in output.splitlines(keepends=True):
        hear, words = (order.on_news, line[1:].rstrip("\n")) if line.startswith(_NEWS) else (order.on_output, line)
        if hear is not None:
            hear(words)


def main() -> None:
    """The program around the tests. Standard input holds its order, and takes its answer."""
    from loopwright.evidence.run import ProjectTests

    with open(0, "rb", closefd=False) as file:
        root, project, order, sandbox, passed = pickle.load(file)
    order = replace(
        order,
        at=root,
        on_output=partial(print, end="", flush=True),
        on_news=lambda words: print(f"{_NEWS}{words}", flush=True),
    )

    async def run_tests() -> TestRun:
        """Ends by itself when it is told to, and so leaves nothing behind."""
        if (task := asyncio.current_task()) is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await ProjectTests(root, project).measure(order)

    with confine(sandbox), pass_secrets(passed):
        try:
            run = asyncio.run(run_tests())
        except asyncio.CancelledError:
            sys.exit(1)
    os.ftruncate(0, 0)
    os.lseek(0, 0, os.SEEK_SET)
    _write(0, run.model_dump_json().encode())


if __name__ == "__main__":
    main()
