"""Roles that hang, die, talk nonsense and boast: what the others did stays, and the cycle ends as it should."""

import asyncio
from collections import Counter

import pytest

from loopwright.core.agent_turns import BROKEN_OFF
from loopwright.core.errors import AgentError
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.run import REASON_LENGTH
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import USUAL, Cast, CycleStage, MakeCycleStage, Play, Turn, said

STEPS = ("ra.analyse", "ep.explore", "ep.plan", "cd.implement", "vas.validate")
SHORT = {"action_timeout": 2.0, "grace_timeout": 2.0}


async def hangs(turn: Turn) -> str:
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nobody answers it")


async def dies(turn: Turn) -> str:
    raise AgentError("died", "the process is gone")


def says(text: str) -> Play:
    async def play(turn: Turn) -> str:
        return text.replace("{role}", turn.role)

    return play


def does_and_says(step: str, text: str) -> Play:
    async def play(turn: Turn) -> str:
        await USUAL[step](turn)
        return text

    return play


def writes_and_hangs(turn_files: dict[str, str]) -> Play:
    async def play(turn: Turn) -> str:
        for name, text in turn_files.items():
            if turn.role == "cd":
                turn.change(name, text)
            else:
                turn.write(name, text)
        return await hangs(turn)

    return play


def incidents(state: CycleState) -> Counter[str]:
    return Counter(incident.kind for incident in state.engine.incidents)


def told(state: CycleState, kind: str) -> str:
    return "\n".join(incident.message for incident in state.engine.incidents if incident.kind == kind)


def finished(stage: CycleStage, cycle_id: str) -> Counter[tuple[int, str]]:
    """How often each step ended well, by iteration, as the journal has it."""
    done: Counter[tuple[int, str]] = Counter()
    known: set[str] = set()
    for entry in stage.store.events(cycle_id):
        if entry.event.type == "step_finished":
            data = entry.event.data
            words = str(data["result"])
            if not words.startswith(("gave no result", "not done", "asks", "put off")):
                done[int(str(data["iteration"])), f"{data['step']} {data['task']}"] += 1
                known.add(words)
    assert known
    return done


def sound(stage: CycleStage, cycle_id: str, state: CycleState) -> CycleState:
    """What holds however the roles behave."""
    done = finished(stage, cycle_id)
    assert not [key for key, count in done.items() if count > 1], "a finished phase was run again"
    assert state.engine.under_way == ()
    assert state.iterations[-1].completed_at
    summary = stage.document(cycle_id, "coordination/summary.md")
    assert f"**{state.engine.outcome}**" in summary
    for incident in state.engine.incidents:
        assert " ".join(incident.message.split()) in summary
    for error in state.phase_errors:
        assert " ".join(error.error.split()) in stage.document(cycle_id, "cd/issues.md")
    return state


async def driven(stage: CycleStage, step: str, *plays: Play, **given: object) -> CycleState:
    return await all_driven(stage, {step: list(plays)}, **given)


async def all_driven(stage: CycleStage, plays: dict[str, list[Play]], **given: object) -> CycleState:
    """Several steps misbehave, each in its own time."""
    stage.cast.plays.update(plays)
    cycle_id = stage.create(**given)  # type: ignore[arg-type]  # as CycleStage.create takes them
    return sound(stage, cycle_id, await stage.drive(cycle_id))


def others_were_asked_once(cast: Cast, *steps: str) -> None:
    counts = Counter(cast.steps())
    assert all(count == 1 for name, count in counts.items() if name not in steps), counts


def messages_to(stage: CycleStage, step: str) -> list[Message]:
    return [turn.message for turn in stage.cast.turns if turn.message.action == step]


class TestTime:
    async def test_who_hangs_is_asked_where_it_is_and_what_it_reports_counts(self, make_stage: MakeCycleStage) -> None:
        """Each step once, one after the other."""
        stage = make_stage()
        state = await all_driven(stage, {step: [hangs] for step in STEPS}, action_timeout=2.0, grace_timeout=90.0)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        for step in STEPS:
            first, second = messages_to(stage, step)
            assert "finish the edit you are in" in second.text
            assert (first.seconds, second.seconds) == (2, 90)
        assert incidents(state) == {"out_of_time": len(STEPS)}
        assert state.phase_errors == ()

    async def test_who_does_not_wrap_up_is_closed_and_tried_once_more_and_what_it_wrote_is_kept(
        self, make_stage: MakeCycleStage
    ) -> None:
        stage = make_stage()
        files = {"ra.analyse": "edge-cases.md", "cd.implement": "begun.txt", "vas.validate": "notes.md"}
        found: list[tuple[str, str]] = []

        async def goes_on(turn: Turn) -> AgentOutput | str:
            step = turn.message.action
            folder = turn.place if turn.role == "cd" else turn.folder
            found.append((step, (folder / files[step]).read_text()))
            assert turn.message.session is None, "a session that may be broken is not loaded"
            return await USUAL[step](turn)

        plays = {step: [writes_and_hangs({file: "# begun\n"}), hangs, hangs, goes_on] for step, file in files.items()}
        state = await all_driven(stage, plays, **SHORT)
        assert state.engine.outcome == "succeeded", state.failure_reason
        assert found == [(step, "# begun\n") for step in files]
        for step in files:
            messages = messages_to(stage, step)
            assert "finish the edit you are in" in messages[1].text
            assert "no more tools but the report" in messages[2].text
        assert [(error.phase, "did not wrap up" in error.error) for error in state.phase_errors] == [
            ("ra", True), ("cd", True), ("vas", True),
        ]  # fmt: skip
        others_were_asked_once(stage.cast, *files)

    @pytest.mark.parametrize("step", ["ep.explore", "cd.implement"])
    async def test_who_always_hangs_is_settled_as_failed(self, make_stage: MakeCycleStage, step: str) -> None:
        stage = make_stage()
        state = await driven(stage, step, *[hangs] * 6, max_iterations=1, **SHORT)
        failed_for_good(stage, state, step)


def reason_names_what_is_left(state: CycleState) -> None:
    """In their order, as far as there is room."""
    told = (state.failure_reason or "").partition(" left: ")[2]
    assert told
    assert " ".join("; ".join(state.iterations[-1].issues_found).split()).startswith(told.rstrip("… "))
    assert len(state.failure_reason or "") <= REASON_LENGTH


def failed_for_good(stage: CycleStage, state: CycleState, step: str) -> None:
    """One role's failure: told, an issue, and nobody else's."""
    role = step.partition(".")[0]
    assert (state.status, state.engine.outcome) == ("failed", "exhausted")
    assert [error.phase for error in state.phase_errors] == [role, role]
    others_were_asked_once(stage.cast, step)
    issues = "\n".join(state.iterations[-1].issues_found)
    key = "cd.implement TASK-001" if step == "cd.implement" else step
    assert {"cd.implement": "TASK-001 failed", "vas.validate": "vas gave no judgement"}.get(
        step, f"{key} failed"
    ) in issues
    reason_names_what_is_left(state)
    done = {"ra": state.requirements, "ep": state.exploration}
    for other, part in done.items():
        assert (part is not None) == (other != role or step == "ep.plan"), "what others finished is lost"
    assert state.test_results is not None, "whatever fails, what is there is measured"
    if step == "vas.validate":
        assert state.test_results.pass_rate == 100
        assert "vas gave no judgement" in stage.document(state.cycle_id, "vas/summary.md")
    assert state.status_of_roles[role] == "failed"  # type: ignore[index]  # a role's name


class TestDeath:
    async def test_who_dies_is_started_again_and_told(self, make_stage: MakeCycleStage) -> None:
        """Each step once, one after the other."""
        stage = make_stage()
        state = await all_driven(stage, {step: [dies] for step in STEPS})
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        for step in STEPS:
            first, second = messages_to(stage, step)
            assert second.text == f"{BROKEN_OFF}\n\n{first.text}"
        assert state.phase_errors == ()

    @pytest.mark.parametrize("step", STEPS)
    async def test_who_always_dies_is_settled_as_failed_and_the_others_go_on(
        self, make_stage: MakeCycleStage, step: str
    ) -> None:
        stage = make_stage()
        state = await driven(stage, step, *[dies] * 4, max_iterations=1)
        failed_for_good(stage, state, step)

    @pytest.mark.parametrize("step", ["ra.analyse", "ep.plan", "cd.implement", "vas.validate"])
    async def test_the_next_iteration_tries_again(self, make_stage: MakeCycleStage, step: str) -> None:
        stage = make_stage()
        state = await driven(stage, step, *[dies] * 4)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        assert state.iterations[0].issues_found
        assert not state.iterations[1].issues_found


BOMB = "PHASE_RESULT:\n" + '{"phase": "{role}", "issues": ' + "[" * 60_000 + "]" * 60_000 + "}"
FLOOD = "I am thinking about it. " * 220_000
GARBAGE = {
    "nothing": "",
    "nonsense": "¯\\_(ツ)_/¯ \x00\x1b[2J \ud83d",
    "a bomb": BOMB,
    "a flood": FLOOD,
    "half a report": "PHASE_RESULT:\n- phase:",
}


class TestReports:
    async def test_who_does_its_work_and_reports_garbage_is_taken_at_its_work(self, make_stage: MakeCycleStage) -> None:
        """Each step another garbage."""
        stage = make_stage()
        texts = dict(zip(STEPS, GARBAGE.values(), strict=True))
        plays = {step: [does_and_says(step, text), says(text)] for step, text in texts.items()}
        state = await all_driven(stage, plays)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        silent = [incident.message for incident in state.engine.incidents if incident.kind == "no_report"]
        assert all(any(f" {step}" in message for message in silent) for step in STEPS), silent
        assert all(len(messages_to(stage, step)) <= 2 for step in STEPS)

    @pytest.mark.parametrize("step", ["ep.plan", "cd.implement"])
    async def test_who_only_talks_nonsense_fails(self, make_stage: MakeCycleStage, step: str) -> None:
        stage = make_stage()
        state = await driven(stage, step, *[says("Lorem ipsum.")] * 16, max_iterations=1)
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")
        failed_for_good(stage, state, step)

    async def test_the_report_of_another_phase_is_asked_for_again(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()
        wrong = {"ra.analyse": "cd", "cd.implement": "ra"}
        plays = {step: [does_and_says(step, said(other)), says(said("{role}"))] for step, other in wrong.items()}
        state = await all_driven(stage, plays)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        assert all(len(messages_to(stage, step)) <= 2 for step in wrong)
        others_were_asked_once(stage.cast, *wrong)


BOAST = "all 250 tests pass and the coverage is 100 %"


class TestBoasts:
    async def test_numbers_come_from_what_was_measured(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage(judge=lambda project: {"app": "failed", "other": "passed"})
        roles = {"ra.analyse": "ra", "cd.implement": "cd", "vas.validate": "vas"}
        plays: dict[str, list[Play]] = {
            step: [does_and_says(step, said(role, summary=BOAST))] for step, role in roles.items()
        }
        state = await all_driven(stage, plays, max_iterations=1)
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")
        assert state.test_results is not None
        assert (state.test_results.pass_rate, state.test_results.coverage, state.test_results.total_tests) == (50, 0, 2)
        claims = told(state, "false_claim").splitlines()
        assert all(any(line.startswith(role) and "250" in line for line in claims) for role in roles.values()), claims
        assert "1 failed: suite::app" in "\n".join(state.iterations[-1].issues_found)

    async def test_a_file_that_cd_says_it_wrote_and_did_not(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def lies(turn: Turn) -> str:
            turn.change("app.txt", "good")
            return said("cd", files_written=["app.txt", "other.txt"])

        state = await driven(stage, "cd.implement", lies)
        assert "other.txt" in told(state, "false_claim")
        assert "app.txt" not in told(state, "false_claim")
        assert state.changes is not None
        assert [change.file for change in state.changes.changes] == ["app.txt"]

    async def test_cd_says_done_and_did_nothing(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()
        state = await driven(stage, "cd.implement", says(said("cd", files_written=["app.txt"])))
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        assert "app.txt" in told(state, "false_claim")
        assert "TASK-001 is not completed" in told(state, "undone")
        _, again = messages_to(stage, "cd.implement")
        assert "no change of a file was measured; the report said “did its part”" in again.text

    async def test_vas_says_all_is_well_while_tests_fail(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage(judge=lambda project: {"app": "failed"})
        state = await driven(stage, "vas.validate", max_iterations=1)
        assert state.engine.outcome == "exhausted"
        assert "suite::app" in (state.failure_reason or "")

    async def test_what_vas_objects_to_while_all_is_green_goes_to_cd(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def objects(turn: Turn) -> str:
            turn.write("summary.md", "# Judgement\n\nNobody said so politely.\n")
            return said("vas", "failed", "not good enough", issues=["R2 is not met: it is not polite"])

        async def mends(turn: Turn) -> str:
            assert "R2 is not met" in turn.message.text
            turn.change("polite.txt", "please")
            return said("cd", files_written=["polite.txt"])

        stage.cast.plays["vas.validate"] = [objects]
        state = await driven(stage, "cd.implement", USUAL["cd.implement"], mends)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        assert state.iterations[0].issues_found == ("vas: R2 is not met: it is not polite",)
        routed = [(e.source, e.target, e.type) for e in state.coordination.feedback_log if "R2" in e.content]
        assert routed == [("vas", "cd", "bug_report")]
        assert (stage.project / "polite.txt").exists()

    async def test_vas_that_always_objects_does_not_go_on_for_ever(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def objects(turn: Turn) -> str:
            turn.write("summary.md", f"# Judgement\n\nNo. {len(stage.cast.turns)}\n")
            return said("vas", "failed", "no", issues=["I do not like it"])

        state = await driven(stage, "vas.validate", *[objects] * 9)
        assert state.engine.outcome == "stalled", state.failure_reason
        assert state.current_iteration < 5
