"""A runner that dies before, in the middle of and after every single write of every step, and is then taken up.

What came back from an update is in the journal, no committed step runs again, and the progress files are right.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from loopwright.core.state import RunSettings
from loopwright.workflows.loop.commands import add_task
from loopwright.workflows.loop.documents import parse_progress, render_progress
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from tests.fakes import CountingLauncher, FakeClock, NoProcesses
from tests.memory_workspace import FakeWorkspace
from tests.store.faulty import READS
from tests.store.making import EDITED, files_at
from tests.store.stranger import independent_replay
from tests.store.tampering import Files

HERE = Path(__file__).resolve().parent.parent.parent
NEVER = -1
WAYS = ("dies before", "dies halfway", "dies after")
TASKS = ("one", "two")


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 around every call to the disk that writes; below, that share of them at random."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _zygote() as zygote:
        made = Path(folder) / "made"
        loop_id = _make(made)
        calls = _whole_run(Path(folder) / "whole", made, zygote)
        writes = [
            (nth, how)
            for nth, call in enumerate(calls)
            if call not in READS
            for how in WAYS
            if how != "dies halfway" or call == "append"
        ]
        for nth, how in chance.sample(writes, min(len(writes), ceil(len(writes) * scale))):
            root = Path(folder) / f"{nth}-{how.split()[1]}"
            shutil.copytree(made, root)
            try:
                _die_and_go_on(root, loop_id, nth, how, zygote, counts)
            except AssertionError as error:
                error.add_note(f"the process {how} call {nth} ({calls[nth]})")
                raise
            shutil.rmtree(root)
        counts["calls of a run"] = len(calls)
    return counts


@contextmanager
def _zygote() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "bench.soaks._dying"]
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _drive(zygote: "subprocess.Popen[str]", root: Path, nth: int, how: str) -> int:
    """Exit code of a process that drove the loop."""
    assert zygote.stdin is not None
    assert zygote.stdout is not None
    zygote.stdin.write(f"{root} {nth} {how}\n")
    zygote.stdin.flush()
    return int(zygote.stdout.readline())


def _make(root: Path) -> str:
    """A loop of two bash tasks that leave a trace each time they run."""
    root.mkdir()
    clock = FakeClock()
    with files_at(root) as store:
        service = LoopService(store, FakeWorkspace(root=root), clock, CountingLauncher(), NoProcesses(), "test")
        loop_id = service.create("Two steps", settings=RunSettings(mode="auto", agent="scripted")).loop_id
        for name in TASKS:
            fields = {"description": name, "tool": "bash", "command": f"echo ran >> ran-{name}; echo x >> out-{name}"}
            store.update(loop_id, partial(_with_task, name=name, fields=fields), actor="user", event=EDITED)
    return loop_id


def _with_task(state: LoopState, name: str, fields: dict[str, str]) -> LoopState:
    return add_task(state, name, fields, state.updated_at)


def _whole_run(root: Path, made: Path, zygote: "subprocess.Popen[str]") -> list[str]:
    shutil.copytree(made, root)
    assert _drive(zygote, root, NEVER, WAYS[0]) == 0
    calls: list[str] = json.loads((root / "calls").read_text())
    return calls


def _die_and_go_on(
    root: Path, loop_id: str, nth: int, how: str, zygote: "subprocess.Popen[str]", counts: Counter[str]
) -> None:
    died = _drive(zygote, root, nth, how)
    assert died in (0, 9), f"exit code {died}"
    counts["deaths"] += died == 9
    files = Files(root, loop_id)
    _assert_acknowledged(root, files)
    with files_at(root) as store:
        state = store.read(loop_id)
        committed = (
            {t.id for t in state.skill_state.develop.tasks if t.status == "completed"} if state.skill_state else ()
        )
    runs = {name: _runs(root, name) for name in TASKS}
    if state.status in ("created", "running"):
        assert _drive(zygote, root, NEVER, WAYS[0]) == 0
    for name in TASKS:
        if name in committed:
            assert _runs(root, name) == runs[name], f"{name} was committed as done, and ran again"
        assert 1 <= _runs(root, name) <= 2
    _assert_right_at_the_end(root, loop_id, files)


def _runs(root: Path, name: str) -> int:
    path = root / f"ran-{name}"
    return len(path.read_text().splitlines()) if path.exists() else 0


def _assert_acknowledged(root: Path, files: Files) -> None:
    """Every update that came back is a line of the journal."""
    path = root / "acknowledged"
    told = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    lines = {}
    for text in files.journal.read_bytes().splitlines(keepends=True):
        if text.endswith(b"}\n"):
            line = json.loads(text)
            lines[line["seq"]] = line["digest"]
    for rev, digest in told:
        assert lines.get(int(rev)) == digest, f"update {rev} was acknowledged and is lost"


def _assert_right_at_the_end(root: Path, loop_id: str, files: Files) -> None:
    with files_at(root) as store:
        state = store.update(loop_id, lambda s: s, actor="user", event=EDITED)  # the next writer puts the files right
        assert store.read(loop_id) == state
        assert (state.status, state.engine.outcome) == ("completed", "succeeded")
        assert state.engine.incidents == ()
        events = [entry.event for entry in store.events(loop_id)]
    replayed = independent_replay(files.journal.read_bytes())
    assert replayed == json.loads(files.json.read_bytes()) == state.model_dump(mode="json")
    done = [e.data["task"] for e in events if e.type == "action_finished" and e.data["action"] == "DEVELOP"]
    assert sorted(map(str, done)) == sorted(TASKS)
    _assert_progress(state, files, events)


def _assert_progress(state: LoopState, files: Files, events: list[Any]) -> None:  # Any: events of the journal
    for name, data in render_progress(state).items():
        assert (files.progress / name).read_bytes() == data, name
    texts = {path.name: path.read_text() for path in files.progress.iterdir()}
    assert parse_progress(texts) is not None
    committed = [line for event in events for line in event.data.get("changes", ())]
    logged = [json.loads(line) for line in texts["changes.log"].splitlines()]
    key = lambda line: (line["iteration"], line["n"])  # noqa: E731
    assert sorted(logged, key=key) == sorted(committed, key=key), "each change once"
