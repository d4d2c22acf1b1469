"""What an agent is told, whose words it is told in, and that both ways to report come to the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.report_inbox import ReportInbox
from loopwright.agents.report_spool import ReportSpool
from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.core.errors import Invalid
from loopwright.core.prompts import PromptError
from loopwright.core.protocol import AgentOutput, Message
from loopwright.reports.text import parse_report
from loopwright.surfaces.mcp.report import keep_call
from loopwright.workflows.loop.messages import REQUIRED, compose_message, loop_prompts
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.orders import Surroundings
from tests.stage import MakeStage, Stage, said

GOAL = "Please make app.txt say good"
FIXED: dict[str, str | None] = {"app.txt": "good"}


def sent(stage: Stage) -> list[str]:
    return [message.text for message in stage.agent.messages]


async def test_goal_rules_and_paths_are_in_every_message(stage: MakeStage) -> None:
    set = stage(
        ScriptedTurn(text=said("INIT", tasks=[{"description": "Look at app.txt"}])),
        ScriptedTurn(text="I forgot to report.", files={"notes.md": "It says bad."}),
        ScriptedTurn(text=said("DEVELOP")),
        ScriptedTurn(text=said("DEBUG"), files=FIXED),
    )
    id = set.create(GOAL)
    state = await set.drive(id)
    assert state.engine.outcome == "succeeded"
    init, develop, again, debug = sent(set)
    for text in (init, develop, again, debug):
        assert GOAL in text
        assert "`report_action_result`" in text
    for text in (init, develop, debug):
        assert f"Work only in {set.project}, and leave `.workflow` there alone" in text
        assert "Tests that you weaken, skip or delete are put back" in text
        assert "ACTION_RESULT:" not in text, "only who has no tools of ours needs the block"
    for message in set.agent.messages:
        words = message.by_text or message.text  # whoever is asked again hears of both ways
        assert "Only if you have no such tool, end your answer with this block" in words
    folder = str(set.store.progress_path(id))
    assert "what you write now is put back" in init
    assert f"as often as you like, from {set.project}: `judge`" in init
    assert "Tests now: 1 failed\n- suite::app: " in init
    assert "propose_tasks" in init
    assert "Look at app.txt" in develop
    assert "as last measured: 1 test failed\n- suite::app: " in develop
    assert "Hints" not in develop
    assert f"{folder}/develop.md" in develop
    assert "could not be taken as a report: there was no call of the report tool and no ACTION_RESULT block." in again
    assert "\n- action: DEVELOP\n" in again
    assert set.agent.messages[2].short == "", "it is asked for the report, not given the order again"
    assert f"More in {folder}: test-results.json" in debug
    assert "1 test fails. Test output, code, diffs" in debug
    assert "\n\nsuite::app\n\n```text\n" in debug


async def test_a_status_that_nobody_knows_is_named_when_it_is_asked_for_again(stage: MakeStage) -> None:
    set = stage(ScriptedTurn(text=said("INIT", "done")), ScriptedTurn(text=said("INIT", tasks=["a"])))
    await set.drive(set.create(max_iterations=1))
    assert "its status was 'done'; allowed are success, failed, needs_input." in sent(set)[1]


@pytest.mark.parametrize("mode", ["analysis", "review"])
async def test_a_reading_task_is_told_that_it_only_reads(stage: MakeStage, mode: str) -> None:
    set = stage(ScriptedTurn(text=said("DEVELOP")))
    id = set.create(max_iterations=1)
    set.service.tasks.add(id, {"description": "Look around", "tool": "scripted", "mode": mode})
    await set.drive(id)
    assert f"This is a task for {mode}, and this turn is read-only: what you write is put back" in sent(set)[0]


def a_loop(stage: Stage) -> LoopState:
    return stage.service.read(stage.create(GOAL))


def test_headings_are_the_protocols(stage: MakeStage) -> None:
    state = a_loop(stage())

    def lines(**options: Any) -> list[str]:
        text = compose_message(
            loop_prompts(), state=state, action="DEBUG", order="x", around=Surroundings(project="/p"), **options
        ).text
        return [line for line in text.splitlines() if line]

    assert lines()[:2] == ["# Goal", GOAL]
    assert lines(continuing=True, previous=("DEVELOP", "failed"))[:4] == [
        "CONTINUE EXECUTION",
        "Previous action completed: DEVELOP Result: failed",
        "EXECUTE NEXT ACTION",
        "Continue with: DEBUG",
    ]
    assert lines(selected=True)[:3] == [
        "USER INPUT RECEIVED", "Action selected: DEBUG", "EXECUTE SELECTED ACTION",
    ]  # fmt: skip


def test_what_a_person_writes_is_no_template(stage: MakeStage) -> None:
    set = stage()
    state = set.service.read(set.create("Replace {{ goal }} by {{ order }}, {{x}} too"))
    text = compose_message(
        loop_prompts(), state=state, action="INIT", order="{{ goal }}", around=Surroundings(project="/p")
    ).text
    assert "Replace {{ goal }} by {{ order }}, {{x}} too" in text
    assert "\n{{ goal }}\n" in text


def test_a_prompt_of_ours_is_rendered_strictly() -> None:
    prompts = loop_prompts()
    assert REQUIRED.keys() <= {prompt.name for prompt in prompts}
    assert all(prompt.required <= prompt.variables for prompt in prompts)
    with pytest.raises(PromptError, match=r"again does not fit: no value for \['problem'\]"):
        prompts.render("again")
    with pytest.raises(PromptError, match=r"no placeholder for \['more'\]"):
        prompts.render("again", problem="x", more="y")


class TestOwnPrompts:
    """A project's own prompts take the place of ours, and are checked before a loop begins."""

    async def test_a_loop_speaks_with_them(self, stage: MakeStage, tmp_path: Path) -> None:
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts" / "develop.md").write_text("Bitte: {{ task }} ({{task_id}})\n")
        (tmp_path / "prompts" / ".hidden").write_text("{{ nobody }}")
        set = stage(
            ScriptedTurn(text=said("INIT", tasks=["eins"])), ScriptedTurn(text=said("DEVELOP"), files=FIXED),
            prompts=loop_prompts(tmp_path / "prompts"),
        )  # fmt: skip
        await set.drive(set.create(GOAL))
        develop = sent(set)[1]
        assert "\nBitte: eins (task-" in develop
        assert GOAL in develop

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("develop.md", "{{ task }} {{ taks }}",
             "develop.md: unknown {{ taks }} (develop knows {{ hints }}, {{ progress_dir }}, {{ task }}, "),
            ("contract.md", "{{ order }} {{ action }} {{ project }}", "contract.md: {{ goal }} is required"),
            ("contract.md", "Do it", "contract.md: {{ action }}, {{ goal }}, {{ order }}, {{ project }} is required"),
            ("init.md", "{{ test-command }}", "init.md: a placeholder is written {{ name }}, with nothing else"),
            ("init.md", " \n", "init.md: empty (remove it to use ours)"),
            ("init.md", "x" * 100_001, "init.md: longer than 100,000 characters"),
            ("init.md", b"\xff\xfe", "init.md: not UTF-8"),
            ("init.md", None, "init.md: Is a directory"),
            ("develope.md", "{{ task }}", "develope.md: no prompt has this name (available: again.md, answer.md, "),
            ("develop.txt", "{{ task }}", "develop.txt: no prompt has this name"),
        ],
    )  # fmt: skip
    def test_what_can_not_be_used_is_named(
        self, tmp_path: Path, name: str, content: str | bytes | None, words: str
    ) -> None:
        path = tmp_path / name
        match content:
            case None:
                path.mkdir()
            case bytes():
                path.write_bytes(content)
            case _:
                path.write_text(content)
        with pytest.raises(Invalid) as refused:
            loop_prompts(tmp_path)
        assert str(refused.value).startswith(f"{tmp_path}/{words}")

    def test_a_folder_that_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(Invalid, match=r"no such folder of prompts: .*/nowhere"):
            loop_prompts(tmp_path / "nowhere")

    def test_they_are_read_once(self, tmp_path: Path) -> None:
        own = tmp_path / "again.md"
        own.write_text("{{ problem }}!")
        prompts = loop_prompts(tmp_path)
        own.write_text("rewritten by an agent")
        assert prompts.render("again", problem="x") == "x!"


async def test_an_agent_that_runs_ahead_is_taken_by_what_it_was_ordered(stage: MakeStage) -> None:
    set = stage(
        ScriptedTurn(text=said("INIT", tasks=["a"]) + said("DEVELOP", "failed")),
        ScriptedTurn(text=said("DEVELOP") + said("VALIDATE", "failed"), files=FIXED),
    )
    state = await set.drive(set.create())
    assert state.engine.outcome == "succeeded"
    assert state.skill_state is not None
    assert [(t.description, t.status) for t in state.skill_state.develop.tasks] == [("a", "completed")]


class TooledAgent(ScriptedAgent):
    """Its answers are calls of our tools, as JSON lists of [tool, arguments]; what is no JSON is said."""

    def __init__(self, script: AgentScript, project: Path) -> None:
        super().__init__(script, project)
        self.folder = project.parent / "mailbox"
        self.mailbox = ReportInbox(self.folder)

    async def play(self, id: str, message: Message) -> AgentOutput:
        self.mailbox.open(message)
        output = await super().play(id, message)
        words = []
        for line in output.text.splitlines():
            if line.startswith("["):
                keep_call(ReportSpool(self.folder), *json.loads(line))
            else:
                words.append(line)
        text = "\n".join(words)
        return output.evolve(text=text, report=self.mailbox.merged(parse_report(text)))


def calls(*made: tuple[str, dict[str, object]]) -> str:
    return "\n".join(map(json.dumps, made))


def result(action: str, **more: object) -> tuple[str, dict[str, object]]:
    return "report_action_result", {"action": action, "status": "success", "message": "done", **more}


TASKS = [{"description": "look"}, {"description": "try"}]
CAUSES = [{"description": "it says bad", "testable_condition": "app.txt is bad", "logging_point": "app.txt:1"}]

LOOKED: dict[str, str | None] = {"notes.md": "It says bad."}
TRIED: dict[str, str | None] = {"app.txt": "better"}

BY_TEXT = (
    ScriptedTurn(text=said("INIT", tasks=TASKS)),
    ScriptedTurn(text=said("DEVELOP"), files=LOOKED),
    ScriptedTurn(text=said("DEVELOP", "success", "one file had to change"), files=TRIED),
    ScriptedTurn(text=said("DEBUG", hypotheses=CAUSES, active_bug="bad")),
    ScriptedTurn(text=said("DEBUG", hypotheses=CAUSES), files=FIXED),
)
BY_TOOL = (
    ScriptedTurn(text=calls(("propose_tasks", {"tasks": TASKS}), result("INIT"))),
    ScriptedTurn(text=calls(result("DEVELOP")), files=LOOKED),
    ScriptedTurn(text=calls(result("DEVELOP", message="one file had to change")), files=TRIED),
    ScriptedTurn(text=calls(("propose_hypotheses", {"hypotheses": CAUSES, "active_bug": "bad"}), result("DEBUG"))),
    ScriptedTurn(text=calls(("propose_hypotheses", {"hypotheses": CAUSES}), result("DEBUG")), files=FIXED),
)
BY_BOTH = (
    ScriptedTurn(text=calls(("propose_tasks", {"tasks": TASKS})) + "\n" + said("INIT")),
    ScriptedTurn(text=said("DEVELOP", "failed") + calls(result("DEVELOP")), files=LOOKED),
    ScriptedTurn(text=calls(result("DEVELOP", message="one file had to change")), files=TRIED),
    ScriptedTurn(text=calls(result("DEBUG")) + "\n" + said("DEBUG", hypotheses=CAUSES, active_bug="bad")),
    ScriptedTurn(text=said("DEBUG", hypotheses=CAUSES), files=FIXED),
)
FORGETFUL = (
    ScriptedTurn(text=calls(("propose_tasks", {"tasks": TASKS}))),
    ScriptedTurn(text=said("INIT")),
    *BY_TEXT[1:],
)


def told(state: LoopState) -> dict[str, object]:
    """The state, but for what no two loops share."""
    assert state.skill_state is not None
    whole = state.model_dump(mode="json")
    kept = ("outcome", "tasks", "incidents", "waiting", "last_validation", "sightings", "debug_rounds")
    shared = {key: whole["engine"][key] for key in kept}
    text = json.dumps({**whole["skill_state"], **shared, "status": state.status})
    return {key: _lasting(value) for key, value in json.loads(re.sub("task-[0-9a-f]{8}", "task", text)).items()}


def _lasting(value: object) -> object:
    if isinstance(value, dict):
        passing = ("at", "since", "timestamp", "duration")
        return {k: _lasting(v) for k, v in value.items() if k not in passing and not k.endswith("_at")}
    return [_lasting(v) for v in value] if isinstance(value, list) else value


async def driven(stage: Stage, agent: ScriptedAgent) -> dict[str, object]:
    """What a loop with this agent comes to."""
    (stage.project / "app.txt").write_text("bad")
    (stage.project / "notes.md").unlink(missing_ok=True)
    stage.agent = agent
    id = stage.create(GOAL)
    return told(await stage.drive(id))


@pytest.mark.parametrize("answers", [BY_TOOL, BY_BOTH], ids=["tools", "tools and text"])
async def test_a_report_through_tools_and_one_as_text_give_the_same_state(
    stage: MakeStage, answers: tuple[ScriptedTurn, ...]
) -> None:
    set = stage()
    as_text = await driven(set, ScriptedAgent(AgentScript(answers=BY_TEXT), set.project))
    assert await driven(set, TooledAgent(AgentScript(answers=answers), set.project)) == as_text
    text = str(as_text)
    assert as_text["status"] == "completed"
    assert all(words in text for words in ("'look'", "'it says bad'", "'active_bug': 'bad'", "'hypotheses_count': 1"))


async def test_what_was_proposed_through_a_tool_outlives_a_report_that_was_forgotten(stage: MakeStage) -> None:
    set = stage()
    as_text = await driven(set, ScriptedAgent(AgentScript(answers=BY_TEXT), set.project))
    forgetful = await driven(set, TooledAgent(AgentScript(answers=FORGETFUL), set.project))
    assert "asked once more" in str(forgetful["incidents"])
    assert forgetful["develop"] == as_text["develop"]


async def test_what_is_not_its_to_set_is_refused_through_either_door(stage: MakeStage) -> None:
    bold = [{"description": "a", "status": "confirmed", "evidence": {"x": 1}, "verdict_reason": "sure"}]
    texts = said("INIT", tasks=["a", 7]), said("DEVELOP", validate={"passed": True}), said("DEBUG", hypotheses=bold)
    set = stage()
    by_text = tuple(ScriptedTurn(text=text, files=files) for text, files in zip(texts, ({}, LOOKED, {}), strict=True))
    as_text = await driven(set, ScriptedAgent(AgentScript(answers=by_text), set.project))
    words = str(as_text["incidents"])
    assert "INIT proposed 1 task without a description" in words
    assert "DEVELOP tried to set validate" in words
    assert "DEBUG proposed a verdict on a hypothesis" in words
    proposed = calls(("propose_tasks", {"tasks": ["a"]}), result("INIT", state_updates={"status": "completed"}))
    tooled = (
        ScriptedTurn(text=proposed),
        ScriptedTurn(text=calls(result("DEVELOP", validate={"passed": True})), files=LOOKED),
        ScriptedTurn(text=calls(("propose_hypotheses", {"hypotheses": bold}), result("DEBUG"))),
    )
    through_tools = await driven(set, TooledAgent(AgentScript(answers=tooled), set.project))
    assert "refused_update" not in str(through_tools["incidents"])
    for state in (as_text, through_tools):
        (hypothesis,) = state["debug"]["hypotheses"]  # type: ignore[index]  # a state's JSON
        assert (hypothesis["status"], hypothesis["evidence"]) == ("pending", None)
    assert through_tools["develop"] == as_text["develop"]
