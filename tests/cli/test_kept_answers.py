"""`list` and `show` print the same from what was kept as without, whatever has happened meanwhile."""

import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from loopwright.store import kept_index
from loopwright.store.files import FileStore
from loopwright.surfaces.cli import kept_answers
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
def slow(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Slow:
    """What the command itself prints."""

    def run(*words: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr("sys.argv", ["loopwright", *words])
            main(words)
        return capsys.readouterr().out

    return run


def answer_command(words: Sequence[str]) -> str | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["loopwright", *words])
        return kept_answers.answer_command()


def ask(slow: Slow, *words: str) -> tuple[bool, bool]:
    """Whether there is an answer at once before and after the command itself; it is the one of the command."""
    before, printed, after = answer_command(words), slow(*words), answer_command(words)
    assert {before, after} <= {None, printed.removesuffix("\n")}
    return before is not None, after is not None


def is_answered(slow: Slow, *words: str) -> bool:
    return ask(slow, *words)[0]


@pytest.mark.parametrize("number", range(2))
def test_no_deed_makes_a_difference(project: Path, slow: Slow, number: int) -> None:
    chance = random.Random(SEED + number)
    deeds = Deeds(project, chance)
    deeds.create()
    assert ask(slow, "list") == (False, True)
    for _ in range(8):
        deeds.do_something()
        id = deeds.one()
        asked = (
            ["list"], ["list", "--json"], ["list", "--status", "created", "--limit=2"], ["list", "--offset", "1"],
            ["show", id], ["show", id, "--json"], ["show", "--all", id], ["list", "--search", "fence"],
        )  # fmt: skip
        for words in asked:
            ask(slow, *words)


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
        for words in (listed, shown):
            assert ask(slow, *words) == (False, True), "it is kept as it was folded"
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


def test_what_is_refused_is_left_to_the_command(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    refused = ("list --limit 0", "list --limit x", "list --nothing", "list one", "show", "show loop-1 x", "show loop-2",
               "list --status nothing", "list -- --json", "list --project nowhere", "show --help", "cycle",
               "show ../loop-1")  # fmt: skip
    for words in refused:
        assert ask(slow, *words.split()) == (False, False), words
    for words in ("list --json --json", "list --offset 9", "list --status damaged", "list --search x", "cycle list"):
        ask(slow, *words.split())


def test_from_elsewhere(project: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    (project / "inside").mkdir()
    is_answered(slow, "show", "loop-1")
    monkeypatch.chdir(project.parent)
    for named in ("project", str(project), "project/", "./project", "project/inside/.."):
        for words in (("show", "loop-1", "--project", named), ("list", f"--project={named}")):
            assert ask(slow, *words) == (False, True)
    assert not is_answered(slow, "list", "--project", "project/inside")
    assert run_git("init", "-q", cwd=project).returncode == 0
    assert ask(slow, "list", "--project", "project/inside") == (False, True)
    monkeypatch.chdir(project / "inside")
    assert ask(slow, "list") == (False, True)
    monkeypatch.chdir(project.parent)
    moved = project.rename(project.parent / "moved")
    assert not is_answered(slow, "list", "--project", "moved")
    assert not is_answered(slow, "list", "--project", "project")
    monkeypatch.chdir(moved / "inside")
    assert not is_answered(slow, "list")


def test_a_living_runner_and_a_dead_one(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(status="running"), actor="user")
        with store.lease("loop-1"):
            for words in (["list"], ["show", "loop-1"], ["show", "loop-1", "--json"]):
                assert ask(slow, *words)[1]
            assert "no runner" not in str(answer_command(["list"]))
        for words in (["list"], ["show", "loop-1"], ["show", "loop-1", "--json"]):
            assert ask(slow, *words) == (False, True)
        assert "no runner" in str(answer_command(["list"]))


def test_torn_files_are_no_trouble(project: Path, slow: Slow, tmp_path: Path) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    for words in (["list"], ["show", "loop-1"]):
        is_answered(slow, *words)
    kept = list((tmp_path / "state").rglob("*.kept/*.*"))
    assert len(kept) == 4, "an index, its texts and two answers"
    for path in kept:
        data = path.read_bytes()
        for torn in (b"", data[:-1], data.replace(b"loop-1", b"loop-2"), os.urandom(len(data))):
            path.write_bytes(torn)
            is_answered(slow, "list")
            path.write_bytes(torn)
            is_answered(slow, "show", "loop-1")


@pytest.mark.parametrize("after", ["__init__", "open", "is_live", "damaged", "close"])
@pytest.mark.parametrize("deed", ["retitle", "edit by hand", "create", "delete", "take"])
def test_what_happens_while_a_command_is_at_it(
    project: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch, after: str, deed: str
) -> None:
    """An answer is that of the files as they were before, or none."""
    with files_at(project) as store:
        for id in ("loop-1", "loop-2"):
            store.create(loop(id, status="running"), actor="user")
    held = ExitStack()

    def do() -> None:
        with files_at(project) as store:
            match deed:
                case "retitle":
                    retitle(store, "Another title", "loop-2")
                case "edit by hand":
                    text = json_of(project, "loop-2").read_text()
                    json_of(project, "loop-2").write_text(text.replace("A title", "Another title"))
                case "create":
                    store.create(loop("loop-3"), actor="user")
                case "delete":
                    store.delete("loop-1", actor="user")
                case "take":
                    other = held.enter_context(files_at(project))
                    held.enter_context(other.lease("loop-2"))

    of = kept_answers.AnswerKeeper if after in ("__init__", "open") else FileStore
    name = "holder" if after == "is_live" else after
    original, waiting = getattr(of, name), [do]

    def wrapped(*args: object, **named: object) -> object:
        result = original(*args, **named)
        if waiting:
            waiting.pop()()
        return result

    with held:
        for words in (["list"], ["show", "loop-2"], ["list", "--json"]):
            waiting[:] = [do] if words == ["list"] or deed not in ("create", "delete", "take") else []
            with monkeypatch.context() as patch:
                patch.setattr(of, name, wrapped)
                slow(*words)
            ask(slow, *words)


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


def test_a_page_changes_with_its_run(project: Path, slow: Slow) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
        assert ask(slow, "show", "loop-1") == (False, True)
        retitle(store, "B")
        assert not is_answered(slow, "show", "loop-1")
        assert "B" in slow("show", "loop-1")
    text = json_of(project).read_text()
    json_of(project).write_text(text.replace('"B"', '"By hand"'))
    for words in (["list"], ["show", "loop-1"]):
        assert ask(slow, *words) == (False, False), "what no writer has taken in is not kept"


def test_from_a_folder_that_is_gone(project: Path, slow: Slow, tmp_path: Path) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (("list", "--project", str(project)), ("show", "loop-1", "--project", str(project))):
        assert "loop-1" in slow(*words)
        assert ask(slow, *words) == (False, False)


def test_only_the_latest_answers_are_kept(project: Path, slow: Slow, tmp_path: Path) -> None:
    with files_at(project) as store:
        store.create(loop(), actor="user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_answers, "ANSWERS", 2)
        for limit in ("1", "2", "3"):
            assert ask(slow, "list", "--limit", limit)[1]
    assert len([*(tmp_path / "state").rglob("answer.*")]) == 2


def test_a_list_is_outdated_whoever_has_looked_since(project: Path, slow: Slow) -> None:
    """Another command has brought the index up to date, or files of older versions come without any trace in it."""
    with files_at(project) as store:
        store.create(loop(), actor="user")
        assert ask(slow, "list")[1]
        retitle(store, "B")
    slow("list", "--json")
    assert answer_command(["list"]) is None
    (project / ".loop").mkdir()
    for title in ("Old", "Older"):
        (project / ".loop/old.json").write_text(f'{{"loop_id": "old", "title": "{title}", "status": "created"}}')
        assert ask(slow, "list") == (False, False)
