"""Cycles as a person drives them: the real command, with scripted roles."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.core.errors import ExitCode
from tests.cli.conftest import Desk
from tests.cli.test_menu import ENTER, Terminal
from tests.waiting import until

TEST = "from pathlib import Path\n\n\ndef test_app():\n    assert Path('app.txt').read_text() == 'good'\n"
MORE = "import more\n\n\ndef test_more():\n    assert more.MORE == 1\n"
PLAN = {"tasks": [{"id": "TASK-001", "description": "Make app.txt good", "effort": "small", "files": ["app.txt"]}]}
QUESTION = "Which greeting?"

Json = Any  # Any: parsed JSON


def said(role: str, summary: str = "did its part", *more: str) -> str:
    """A role's report."""
    lines = ("PHASE_RESULT:", f"- phase: {role}", "- status: success", "- files_written: []", f"- summary: {summary}")
    return "\n".join((*lines, "- issues: []", *more))


def cast(desk: Desk, *, analysed: str = "", implements: Mapping[str, object] | None = None) -> str:
    """An agent that plays all roles, in a project with one failing test; `analysed` is added to ra's report."""
    (desk.project / "app.txt").write_text("bad")
    (desk.project / "test_app.py").write_text(TEST)
    done = {"to": "TASK-001", "text": said("cd"), "files": {"app.txt": "good"}, **(implements or {})}
    more = {
        "tasks": [*PLAN["tasks"], {"id": "TASK-002", "description": "Say more", "files": ["more.py", "test_more.py"]}]
    }
    again: Sequence[Mapping[str, object]] = [
        {
            "to": "ra.analyse",
            "text": said("ra"),
            "files": {"{folder}/requirements.md": "# Requirements\n\n- R2: more\n"},
        },
        {"to": "ep.plan", "text": said("ep"), "files": {"{folder}/plan.json": json.dumps(more)}},
        {"to": "TASK-002", "text": said("cd"), "files": {"more.py": "MORE = 1\n", "test_more.py": MORE}},
        {"to": "vas.validate", "text": said("vas"), "files": {"{folder}/summary.md": "# All well\n"}},
    ]
    return desk.script(
        {
            "to": "ra.analyse", "text": said("ra", "analysed", *([analysed] if analysed else [])),
            "files": {"{folder}/requirements.md": "# Requirements\n\n- R1: app.txt says good\n",
                      "{folder}/edge-cases.md": "# Edge cases\n\n- none\n"},
        },
        {
            "to": "ep.explore", "text": said("ep"),
            "files": {"{folder}/exploration.md": "# Exploration\n\none file\n",
                      "{folder}/architecture.md": "# Architecture\n\nflat\n"},
        },
        {"to": "ep.plan", "text": said("ep"), "files": {"{folder}/plan.json": json.dumps(PLAN)}},
        done,
        {"to": "vas.validate", "text": said("vas"), "files": {"{folder}/summary.md": "# All well\n"}},
        *again,
    )  # fmt: skip


def decision() -> str:
    return "- decisions: " + json.dumps(
        [{"description": QUESTION, "options": ["hello", "good day"], "recommended": "good day", "tasks": []}]
    )


def the_cycle(desk: Desk) -> Json:
    """The state of the only one there is."""
    listed: Json = desk.run("cycle", "list", "--json").lines[0]["data"]
    (state,) = listed
    return state


def test_a_cycle_runs_to_its_end_and_tells_it_in_lines(desk: Desk) -> None:
    agent = cast(desk, analysed=decision())
    ran = desk.run("cycle", "run", "Make test_app pass", "--auto", "--agent", agent)
    assert ran.code == ExitCode.DONE, ran
    lines = ran.out.splitlines()
    id = lines[0].partition(":")[0]
    assert any(line.endswith("cd.implement TASK-001: Make app.txt good") for line in lines)
    assert "PHASE_RESULT" not in ran.out
    assert "Succeeded in 1 iteration: 1 test passes" in ran.out
    assert "decided     DEC-001: good day (Which greeting?)" in " ".join(lines).replace("  decided", "decided")
    told = desk.run("cycle", "watch", id, "--json")
    (rest,) = told.lines
    assert (rest["type"], rest["cycle_id"], rest["exit_code"]) == ("rest", id, 0)
    state = rest["data"]
    assert isinstance(state, dict)
    assert state["coordination"]["pending_decisions"][0]["made_by"] == "auto"


def test_programs_are_told_of_every_role(desk: Desk) -> None:
    ran = desk.run("cycle", "run", "Make test_app pass", "--auto", "--agent", cast(desk), "--json")
    notes = [line for line in ran.lines if line["type"] == "note"]
    assert {line.get("role") for line in notes} >= {"ra", "ep", "cd", "vas"}
    assert ran.lines[-1]["success"] is True


def test_a_decision_is_asked_at_the_terminal(desk: Desk) -> None:
    terminal = Terminal(desk, "cycle", "run", "Make test_app pass", "--agent", cast(desk, analysed=decision()))
    terminal.wait_for("Requirements Analyst")
    terminal.wait_for(QUESTION)
    terminal.wait_for("good day")
    terminal.press(ENTER)
    terminal.wait_for("Succeeded in 1 iteration")
    assert terminal.end() == ExitCode.DONE
    known = the_cycle(desk)
    (made,) = known["coordination"]["pending_decisions"]
    assert made["made_by"] == "user"
    assert made["chosen_option"] in ("hello", "good day")


def test_in_the_background_it_pauses_with_a_decision(desk: Desk) -> None:
    created = desk.run(
        "cycle", "create", "Make test_app pass", "--agent", cast(desk, analysed=decision()), "--json"
    ).lines[0]
    data = created["data"]
    assert isinstance(data, dict)
    id = str(data["cycle_id"])
    assert desk.run("cycle", "start", id).code == ExitCode.DONE
    watched = desk.run("cycle", "watch", id)
    assert watched.code == ExitCode.NEEDS_PERSON, watched
    assert f"loopwright cycle decide {id} DEC-001 'good day'" in watched.out
    told = desk.run("cycle", "decide", id, "DEC-001", "hello")
    assert told.out == f"DEC-001 is decided: hello; continue with: loopwright cycle resume {id}\n"
    resumed = desk.run("cycle", "resume", id, "--wait")
    assert resumed.code == ExitCode.DONE, resumed
    assert "DEC-001  hello (by user)" in desk.run("cycle", "show", id).out


def test_a_running_cycle_takes_an_extension_in_when_its_iteration_is_over(desk: Desk) -> None:
    go = desk.project.parent / "go"
    agent = cast(desk, implements={"signals": str(desk.project.parent / "begun"), "waits_for": [str(go)]})
    runner = desk.begin("cycle", "run", "Make test_app pass", "--auto", "--agent", agent)
    until((desk.project.parent / "begun").exists)
    id = the_cycle(desk)["cycle_id"]
    told = desk.run("cycle", "extend", id, "Also this")
    assert told.out == f"{id} picks it up after iteration 1\n"
    assert "is being driven by another process" in desk.run("cycle", "run", "--cycle-id", id, "--auto").err
    go.touch()
    out, err = runner.communicate(timeout=60)
    assert runner.returncode == ExitCode.DONE, out + err
    state = the_cycle(desk)
    assert (state["current_iteration"], state["task_history"]) == (2, ["Make test_app pass", "Also this"])
