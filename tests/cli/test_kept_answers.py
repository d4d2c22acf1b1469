"""`list` and `show` print the same from what was kept as without, whatever has happened meanwhile."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.store import kept_index
from loopwright.store.files import FileStore
from loopwright.surfaces.cli import kept_answers
from loopwright.surfaces.cli.kept_answers import PLACES, answer_command
from loopwright.surfaces.cli.main import main
from loopwright.wiring.stores import CYCLES, LOOPS, TUNINGS
from loopwright.workspace.private_git import run_git
from tests.chance import SEED
from tests.cli.conftest import Desk
from tests.store.making import HandClock, cycle, files_at, json_of, loop, retitle, tuning
from tests.store.test_kept_index import Deeds

Slow = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where every change lies a moment back."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr(kept_index, "SETTLED", -(10**9))
    return root


@pytest.fixture
def slow(capsys: pytest.CaptureFixture[str]) -> Slow:
    """What the command itself prints."""

    def run(*words: str) -> str:
        main(words)
        return capsys.readouterr().out

    return run


def ask(slow: Slow, *words: str) -> tuple[bool, bool]:
    """Whether there is an answer at once before and after the command itself; it is the one of the command."""
    before, printed, after = answer_command(words), slow(*words), answer_command(words)
    assert {before, after} <= {None, printed.removesuffix("\n")}
    return before is not None, after is not None


def is_answered(slow: Slow, *words: str) -> bool:
    return ask(slow, *words)[0]


def test_where_the_kinds_lie() -> None:
    for kind in (LOOPS, CYCLES, TUNINGS):
        place = PLACES[kind.name]
        assert (place.name, place.folder, place.homes) == (kind.name, kind.folder, kind.homes)


@pytest.mark.parametrize("number", range(2))
def test_no_deed_makes_a_difference(project: Path, slow: Slow, number: int) -> None:
    chance = random.Random(SEED + number)
    deeds, answered = Deeds(project, chance), 0
    for _ in range(8):
        deeds.do_something()
        id = deeds.one()
        asked = (
            ["list"], ["list", "--json"], ["list", "--status", "created", "--limit=2"], ["list", "--offset", "1"],
            ["show", id], ["show", id, "--json"], ["show", "--all", id], ["list", "--search", "fence"],
        )  # fmt: skip
        for words in asked:
            answered += ask(slow, *words)[1]
    assert answered


def test_each_kind_is_answered_the_second_time(project: Path, slow: Slow) -> None:
    with FileStore(project, LOOPS, HandClock()) as loops:
        loops.create(loop("loop-1"), actor="user")
    with FileStore(project, CYCLES, HandClock()) as cycles:
        cycles.create(cycle("cycle-1"), actor="user")
    with FileStore(project, TUNINGS, HandClock()) as tunings:
        tunings.create(tuning("skill-tuning-1"), actor="user")
    for id, group in (("loop-1", ()), ("cycle-1", ("cycle",)), ("skill-tuning-1", ("tunings",))):
        for words in (("list",), ("list", "--json"), ("show", id), ("show", id, "--json"), ("show", id, "--all")):
            assert ask(slow, *group, *words)[1], (*group, *words)


def test_what_else_decides_what_is_printed(
    project: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with files_at(project) as store:
        store.create(loop("loop-1", title="A title " * 20, description="long " * 30), actor="user")
    listed, shown = ("list",), ("show", "loop-1")

    assert ask(slow, *listed)[1]
    assert ask(slow, *shown)[1]
    for columns in ("100", "70", "30"):
        monkeypatch.setenv("COLUMNS", columns)
        assert is_answered(slow, *listed), "a table is drawn anew"
        assert ask(slow, *shown) == (False, columns != "30"), "a page is kept as it was folded, unless its age may be"
    monkeypatch.setenv("TZ", "America/Lima")
    time.tzset()
    assert not is_answered(slow, *shown)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "change", ["loopwright.toml", "pyproject.toml", "user's settings", "environment", "git", "git above", "legacy"]
)
def test_what_else_decides_whether_there_is_an_answer(
    project: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str
) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    assert ask(slow, "list") == (False, True)
    wrong = "[tool.loopwright]\nno_such_setting = 1\n"
    match change:
        case "loopwright.toml" | "pyproject.toml":
            (project / change).write_text(wrong)
        case "user's settings":
            (tmp_path / "config/loopwright").mkdir(parents=True)
            (tmp_path / "config/loopwright/loopwright.toml").write_text(wrong)
        case "environment":
            monkeypatch.setenv("LOOPWRIGHT_MAX_MINUTES", "often")
        case "git" | "git above":
            assert run_git("init", "-q", cwd=project if change == "git" else tmp_path).returncode == 0
        case "legacy":
            (project / ".loop").mkdir()
            (project / ".loop/old.json").write_text('{"loop_id": "old", "title": "Old", "status": "created"}')
    assert not is_answered(slow, "list")
    is_answered(slow, "list")


def test_other_words_are_left_to_the_command(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    asked = ("list --limit 0", "list --limit x", "list --limit", "list --nothing", "list one", "show", "show loop-1 x",
             "show loop-2", "list --status", "list --status nothing", "list --json --json", "list -- --json",
             "list --project nowhere", "show --help", "cycle list", "cycle", "list --offset 9",
             "show ../loop-1")  # fmt: skip
    for words in asked:
        slow(*words.split())
        assert answer_command(words.split()) is None, words


def test_from_elsewhere(project: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    (project / "inside").mkdir()
    is_answered(slow, "show", "loop-1")
    monkeypatch.chdir(project.parent)
    for named in ("project", str(project)):
        assert ask(slow, "show", "loop-1", "--project", named) == (False, True), "its commands name the project"
        assert is_answered(slow, "show", "loop-1", f"--project={named}")
    for named in ("project/", "./project", "project/inside/.."):
        is_answered(slow, "list", "--project", named)
    moved = project.rename(project.parent / "moved")
    assert not is_answered(slow, "list", "--project", "moved")
    monkeypatch.chdir(moved / "inside")
    is_answered(slow, "list")


def test_a_living_runner_and_a_dead_one(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(status="running"), actor="user")
        with store.lease("loop-1"):
            for words in (["list"], ["show", "loop-1"], ["show", "loop-1", "--json"]):
                assert ask(slow, *words)[1]
            assert "no runner" not in str(answer_command(["list"]))
        assert "no runner" in str(answer_command(["list"]))
        assert not is_answered(slow, "show", "loop-1")
        is_answered(slow, "list")


def test_torn_files_are_no_trouble(project: Path, slow: Slow, tmp_path: Path) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    for words in (["list"], ["show", "loop-1"]):
        is_answered(slow, *words)
    for kept in [*(tmp_path / "state").rglob("loop.*")]:
        data = kept.read_bytes()
        for torn in (b"", data[:-1], data.replace(b"loop-1", b"loop-2"), os.urandom(len(data))):
            kept.write_bytes(torn)
            is_answered(slow, "list")
            kept.write_bytes(torn)
            is_answered(slow, "show", "loop-1")


def test_the_command_itself(desk: Desk) -> None:
    """A process, which answers before it loads what it then has no use for."""
    id = desk.create("--agent", "bash")
    time.sleep(0.06)
    for words in (["list"], ["list", "--json"], ["show", id, "--json"]):
        first = desk.run(*words, PYTHONPROFILEIMPORTTIME="1")
        second = desk.run(*words, PYTHONPROFILEIMPORTTIME="1")
        assert second.code == 0
        assert [line.split("  ")[0] for line in first.out.splitlines()] == [
            line.split("  ")[0] for line in second.out.splitlines()
        ]
        for name in ("typer", "orjson", "pydantic", "loopwright.wiring"):
            assert f" {name}\n" in first.err or words != ["list"]
            assert f" {name}\n" not in second.err
    assert kept_answers.LOOP.name == "loop"


def test_a_page_changes_with_its_run(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
        assert ask(slow, "show", "loop-1") == (False, True)
        retitle(store, "B")
        assert not is_answered(slow, "show", "loop-1")
        assert "B" in slow("show", "loop-1")
    text = json_of(project).read_text()
    json_of(project).write_text(text.replace('"B"', '"By hand"'))
    assert not is_answered(slow, "list")
    assert not is_answered(slow, "list"), "what no writer has taken in is not kept"
