"""`choose` as a person types it: the menu of a runner in the background, answered from another process."""

import json
import os
import signal
from collections.abc import Callable

import pytest

from tests.cli.conftest import Desk, Ran, planned, said
from tests.waiting import until

TESTS = "from pathlib import Path\n\n\ndef test_good():\n    assert Path('app.txt').read_text() == 'good'\n"
GOOD = {"text": said("DEVELOP"), "files": {"app.txt": "good"}}


@pytest.fixture
def started(desk: Desk) -> Callable[..., str]:
    """A loop whose runner in the background waits at its menu."""

    def start(*answers: dict[str, object]) -> str:
        (desk.project / "app.txt").write_text("bad")
        (desk.project / "test_app.py").write_text(TESTS)
        ran = desk.run("create", "Make test_good pass", "--agent", desk.script(*answers), "--json")
        loop_id = str(ran.lines[0]["data"]["loop_id"])  # type: ignore[index]  # parsed JSON
        assert desk.run("start", loop_id).code == 0
        waits(desk, loop_id)
        return loop_id

    return start


def menu(desk: Desk, loop_id: str) -> dict[str, object] | None:
    found: dict[str, object] | None = kept(desk, loop_id)["engine"].get("menu")  # type: ignore[attr-defined]  # JSON
    return found


def kept(desk: Desk, loop_id: str) -> dict[str, object]:
    """The state as it lies on the disk, which costs no process."""
    state: dict[str, object] = json.loads((desk.project / ".workflow" / ".loop" / f"{loop_id}.json").read_text())
    return state


def waits(desk: Desk, loop_id: str) -> None:
    """Until it waits for a choice that nobody has made."""
    until(lambda: "choice" not in (menu(desk, loop_id) or {"choice": None}))


def test_a_runner_in_the_background_is_steered_to_the_end(desk: Desk, started: Callable[..., str]) -> None:
    loop_id = started(planned("Write it"), GOOD)
    page = desk.run("show", loop_id).out
    assert "develop   do the next task" in page
    assert "debug     not now: no failing test and no failed task" in page
    assert f"next        loopwright choose {loop_id} develop" in page
    assert "running (asks)" in desk.run("list").out
    watching = desk.begin("watch", loop_id, "--json")
    assert desk.run("choose", loop_id, "develop").out == f"{loop_id}: develop is next\n"
    until(lambda: (desk.project / "app.txt").read_text() == "good")
    waits(desk, loop_id)
    added = desk.run("choose", loop_id, "add", "Say hello", "--command", "echo hello > hello.txt", "--json")
    assert added.lines[0]["success"] is True
    until(lambda: desk.run("choose", loop_id, "develop").code == 0)
    until(lambda: (desk.project / "hello.txt").exists())
    waits(desk, loop_id)
    assert desk.run("choose", loop_id, "validate").code == 0
    until(lambda: desk.run("choose", loop_id, "complete").code == 0)
    out, _ = watching.communicate(timeout=60)
    assert watching.returncode == 0
    assert '"menu_chosen"' in out
    state = kept(desk, loop_id)
    assert (state["status"], menu(desk, loop_id)) == ("completed", None)
    told = desk.run("logs", loop_id, "events").out
    assert "develop is chosen, on the command line" in told
    assert "waits for a choice: develop, " in told
    assert desk.run("choose", loop_id, "develop").code == 5


def test_killed_at_the_menu_it_goes_on_with_the_next_choice(desk: Desk, started: Callable[..., str]) -> None:
    loop_id = started(planned("Write it"), GOOD)
    pid = runner_of(desk, loop_id)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"))
    assert "running (asks)" in desk.run("list").out
    assert f"loopwright choose {loop_id} develop" in desk.run("show", loop_id).out
    assert desk.run("choose", loop_id, "develop").code == 0
    until(lambda: desk.run("choose", loop_id, "exit").code == 0)
    assert desk.run("watch", loop_id).code == 3
    assert kept(desk, loop_id)["status"] == "user_exit"


def test_a_pause_at_the_menu_ends_the_runner(desk: Desk, started: Callable[..., str]) -> None:
    loop_id = started(planned("Write it"))
    pid = runner_of(desk, loop_id)
    assert desk.run("pause", loop_id).code == 0
    until(lambda: not os.path.exists(f"/proc/{pid}"))
    assert (kept(desk, loop_id)["status"], menu(desk, loop_id)) == ("paused", None)
    assert desk.run("watch", loop_id).code == 3


def test_of_two_people_one_is_told_that_the_other_was_faster(desk: Desk, started: Callable[..., str]) -> None:
    loop_id = started(planned("Write it"), {**GOOD, "seconds": 5})
    people = [desk.begin("choose", loop_id, "develop") for _ in range(3)]  # it takes longer than all of them
    said = [person.communicate() for person in people]
    ran = [Ran(person.returncode, *texts) for person, texts in zip(people, said, strict=True)]
    assert sorted(one.code for one in ran) == [0, 5, 5]
    assert all("already made" in one.err or "not at its menu" in one.err for one in ran if one.code)


def runner_of(desk: Desk, loop_id: str) -> int:
    """Process id of the runner, which has written it where its lease is."""
    return int(json.loads((desk.project / ".workflow" / ".loop" / f"{loop_id}.lease").read_text())["pid"])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["loop-v2-20260101T000000-deadbeef", "develop"], 4, "not found"),
        (["../x", "develop"], 2, "Invalid loop ID"),
        (["loop-v2-20260101T000000-deadbeef"], 2, "CHOICE"),
    ],
)
def test_choose_says_what_is_wrong(desk: Desk, arguments: list[str], code: int, words: str) -> None:
    ran = desk.run("choose", *arguments)
    assert (ran.code, words in ran.err) == (code, True), ran


@pytest.mark.parametrize("mark", ["", "-generate"])
def test_what_a_loop_has_started_can_not_choose_for_it(desk: Desk, mark: str) -> None:
    """Neither its runner's agents nor the one that proposes tasks for it."""
    loop_id = desk.create("--agent", "builtin")
    within = {"LOOPWRIGHT_LOOP": f"{loop_id}{mark}", "LOOPWRIGHT_PROJECT": str(desk.project.resolve())}
    ran = desk.run("choose", loop_id, "develop", **within)
    assert (ran.code, "cannot choose its own next step" in ran.err) == (5, True)
    assert desk.run("choose", loop_id, "develop").code == 2, "mode auto"
