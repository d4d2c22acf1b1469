"""What is no folder in the place of one that holds states is refused, in one clear error: never followed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.errors import StoreError
from loopwright.store.files import FileStore
from loopwright.store.kind import StateKind
from loopwright.wiring import open_engine
from loopwright.wiring.stores import CYCLES, LOOPS, TUNINGS
from tests.fakes import FakeClock

MAKERS: dict[str, Callable[[Path, Path], object]] = {
    "a symbolic link": lambda place, outside: place.symlink_to(outside),
    "a pipe": lambda place, outside: os.mkfifo(place),
    "a file": lambda place, outside: place.write_text("x"),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("place", [".workflow", ".workflow/.loop", ".workflow/.cycle", ".workflow/.scratchpad"])
def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, kind: str, place: str) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (root, outside, (root / place).parent):
        folder.mkdir(exist_ok=True)
    MAKERS[kind](root / place, outside)
    kinds: tuple[StateKind[Any], ...] = (LOOPS, CYCLES, TUNINGS)  # Any: each has states of its own
    concerned = [one for one in kinds if Path(one.folder).is_relative_to(place)]
    assert concerned
    for states in concerned:
        with pytest.raises(StoreError, match=f"{place} is {kind}"), FileStore(root, states, FakeClock()):
            pass
    assert not list(outside.iterdir())


def test_a_link_that_comes_while_the_store_is_open(tmp_path: Path) -> None:
    """At rest it is refused; a runner that holds a run puts its folder back, see test_tampered_loops."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root := tmp_path / "project").mkdir()
    with open_engine(root, {"agent": "builtin"}, actor="cli") as engine:
        engine.create("first", interactive=False)
        os.rename(root / ".workflow", root / "moved")
        (root / ".workflow").symlink_to(outside)
        with pytest.raises(StoreError, match="is a symbolic link"):
            engine.create("second", interactive=False)
    assert not list(outside.iterdir())


def test_prompts_behind_a_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "outside" / "prompts").mkdir(parents=True)
    (root := tmp_path / "project").mkdir()
    (root / ".loopwright").symlink_to(tmp_path / "outside")
    with open_engine(root, {}, actor="cli") as engine, pytest.raises(StoreError, match="is a symbolic link"):
        engine.load_prompts()


def test_the_command_line_says_it_once(tmp_path: Path) -> None:
    (tmp_path / ".workflow").symlink_to("/nowhere")
    done = subprocess.run(
        [sys.executable, "-m", "loopwright", "list"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.count("is a symbolic link") == 1
    assert "Traceback" not in done.stderr
