"""What a role is told: who it is, what it may do, and how to report; in the project's own words if it likes."""

from pathlib import Path

import pytest

from loopwright.core.cycle_names import ROLES, TITLES, CycleStep, Role
from loopwright.core.errors import Invalid
from loopwright.core.prompts import PromptError
from loopwright.workflows.cycle.boundary import next_iteration
from loopwright.workflows.cycle.messages import (
    NEWS_SHOWN,
    REQUIRED,
    compose_message,
    compose_news,
    conflict_order,
    cycle_prompts,
    debug_order,
    implement_order,
    wrap_ups,
)
from loopwright.workflows.cycle.model import FeedbackEntry, PlanTask
from loopwright.workflows.loop.messages import loop_prompts
from loopwright.workflows.orders import MessageTexts, Surroundings
from tests.cycle.stage import MakeCycleStage
from tests.domain.cycle_making import AT, running

PROMPTS = cycle_prompts()
DOCUMENTS = Path("/p/.workflow/.cycle/c.progress")
TASK = PlanTask(id="TASK-007", description="Say it {{ politely }}", files=tuple(f"src/{n}.py" for n in range(30)))


def texts(role: Role, step: CycleStep) -> MessageTexts:
    return compose_message(
        PROMPTS, state=running().evolve(description="Say {{ goal }} politely"), role=role, step=step,
        order="Do {{ it }}.", around=Surroundings(project="/p", test_command="pytest -q", rules="- Keep to it.\n"),
        folder=f"{DOCUMENTS}/{role}",
    )  # fmt: skip


def message(role: Role, step: CycleStep) -> str:
    return texts(role, step).text


@pytest.mark.parametrize("role", ROLES)
def test_who_it_is_goal_rules_and_contract_are_in_every_message(role: Role) -> None:
    text = message(role, CycleStep("ra.analyse"))
    assert text.startswith(f"You are {role}, the {TITLES[role]}. ")
    assert "Say {{ goal }} politely" in text, "what a person writes is no template"
    assert "Do {{ it }}." in text
    assert f"{DOCUMENTS}/{role}" in text
    assert "# Order: ra.analyse, iteration 1" in text
    assert f"call `report_phase_result` with phase {role} and" in text
    assert "report_discovery" in text
    assert "- Keep to it.\n" in text
    assert ("Tests that you weaken, skip or delete are put back" in text) == (role == "cd")
    assert ("as often as you like, from /p: `pytest -q`" in text) == (role == "cd")
    assert ("is read-only for you" in text) == (role != "cd")


@pytest.mark.parametrize("role", ROLES)
def test_who_knows_all_that_is_told_the_order_alone(role: Role) -> None:
    told = texts(role, CycleStep("ra.analyse"))
    assert told.short.startswith(
        f"You are {role}. Goal: Say {{{{ goal }}}} politely\nThe rules of this session still apply."
    )
    assert "# Order: ra.analyse, iteration 1\n\nDo {{ it }}.\n" in told.short
    assert "report_phase_result" in told.short
    assert len(told.short) < 700
    assert f"\nPHASE_RESULT:\n- phase: {role}\n- status: success | failed | partial\n" in told.by_text
    assert f"{DOCUMENTS}/{role}/discoveries.ndjson" in told.by_text


def test_the_roles_are_told_apart() -> None:
    firsts = {message(role, CycleStep("ra.analyse")).split(".")[0] for role in ROLES}
    assert len(firsts) == 4
    assert not any(message("ra", CycleStep("ra.analyse")).startswith(f"You are {role}") for role in ("ep", "cd", "vas"))


def test_the_step_is_named_with_its_task() -> None:
    assert "# Order: cd.implement TASK-007, iteration 1" in message("cd", CycleStep("cd.implement", "TASK-007"))


async def test_every_order_of_a_whole_cycle_is_short(make_stage: MakeCycleStage) -> None:
    """What a role needs is in files, which are named."""
    stage = make_stage()
    await stage.drive(stage.create())
    for turn in stage.cast.turns:
        assert len(turn.message.text) < 6_500, turn.message.action
        assert str(turn.folder) in turn.message.text


async def test_an_override_speaks_in_a_cycle(make_stage: MakeCycleStage, tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    (own / "cycle").mkdir(parents=True)
    (own / "cycle" / "ra.md").write_text("Du bist ra.\n")
    prompts = cycle_prompts(own)
    assert prompts.render("ra") == "Du bist ra."
    assert prompts.render("ep").startswith("You are ep")
    loop_prompts(own)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("contract.md", "{{ order }}", "is required"),
        ("plan.md", "Plan it", "{{ documents }}, {{ folder }} is required"),
        ("implement.md", "{{ task }} {{ task_id }} {{ tsk }}", "unknown {{ tsk }}"),
        ("implmenet.md", "x", "no prompt has this name"),
    ],
)
def test_an_override_that_can_not_be_used_is_named(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / "cycle").mkdir()
    (tmp_path / "cycle" / name).write_text(text)
    with pytest.raises(Invalid) as refused:
        cycle_prompts(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path}/cycle/{name}: ")
    assert words in str(refused.value)


def test_ours_are_rendered_strictly() -> None:
    assert REQUIRED.keys() <= {prompt.name for prompt in PROMPTS}
    assert all(prompt.required <= prompt.variables for prompt in PROMPTS)
    with pytest.raises(PromptError, match="no value for"):
        PROMPTS.render("mend")


def test_a_folder_of_prompts_without_any_for_cycles(tmp_path: Path) -> None:
    assert cycle_prompts(tmp_path).render("ra").startswith("You are ra")


class TestOrders:
    def test_a_task(self) -> None:
        text = implement_order(PROMPTS, running(), TASK, DOCUMENTS)
        assert "Say it {{ politely }}" in text
        assert "Task TASK-007." in text
        assert f"{DOCUMENTS}/ra/requirements.md" in text
        assert "src/19.py and 10 others" in text
        assert "src/20.py" not in text
        assert "as planned: not known" in implement_order(PROMPTS, running(), TASK.evolve(files=()), DOCUMENTS)

    def test_failures_to_be_mended(self) -> None:
        text = debug_order(PROMPTS, running(), TASK, DOCUMENTS, "t.py::test_a: assert 2 == 3", "")
        assert "Say it {{ politely }}\n\nt.py::test_a: assert 2 == 3\n" in text
        assert f"{DOCUMENTS}/vas/failures.json" in text
        assert "- none yet" in text
        assert "propose_fix" not in text
        assert "`propose_fix`" in debug_order(PROMPTS, running(), TASK, DOCUMENTS, "t.py::test_a", "| H1 |")

    def test_a_conflict(self) -> None:
        text = conflict_order(PROMPTS, TASK, "/lane", ["a.py", "b.py"], "CONFLICT (content): a.py")
        assert "CONFLICT (content): a.py" in text
        assert "In /lane these files" in text
        assert "- a.py\n- b.py" in text

    def test_what_a_role_is_told_whose_time_is_up(self) -> None:
        where, finish = wrap_ups(PROMPTS, "ep.plan")
        assert where.startswith("The time for ep.plan is up")
        assert "report what is done and what is not" in " ".join(where.split())
        assert "no more tools but the report" in finish


class TestNews:
    def entry(self, content: str, target: str = "cd", at: str = AT) -> FeedbackEntry:
        return FeedbackEntry(timestamp=at, source="vas", target=target, content=content, type="bug_report")

    def test_nothing(self) -> None:
        assert compose_news(running(), "cd") == "- nothing"

    def test_only_what_was_written_to_it_for_this_iteration(self) -> None:
        state = running()
        old = state.evolve(
            iterations=(state.iterations[0].evolve(completed_at="2026-01-22T11:00:00+08:00"),),
            coordination=state.coordination.evolve(feedback_log=(self.entry("long ago"),)),
        )
        at = "2026-01-22T03:00:01+00:00"
        state = next_iteration(old, at, feedback=(self.entry("broken\nstill", at=at), self.entry("else", "ra", at)))
        assert compose_news(state, "cd") == "- bug_report from vas: broken still"
        assert compose_news(state, "ra") == "- bug_report from vas: else"

    def test_an_extension_goes_to_ra_and_ep_once(self) -> None:
        state = running()
        state = state.evolve(iterations=(state.iterations[0].evolve(completed_at=AT),))
        state = next_iteration(state, AT, extension="Also politely")
        assert compose_news(state, "ra") == compose_news(state, "ep") == "- the user extends the goal: Also politely"
        assert compose_news(state, "cd") == "- nothing"

    def test_a_flood_is_cut(self) -> None:
        state = running()
        log = tuple(self.entry(f"{n} " + "x" * 5_000) for n in range(30))
        text = compose_news(state.evolve(coordination=state.coordination.evolve(feedback_log=log)), "cd")
        assert len(text) < 700 * NEWS_SHOWN
        assert "and 20 others" in text


async def test_acceptance_criteria_reach_the_requirements_analyst(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    await stage.drive(stage.create("Make app.txt good\n\n- [ ] it says good\n- [x] it exists"))
    (asked,) = [turn.message.text for turn in stage.cast.turns if turn.role == "ra"]
    assert "with its number as the source:\n- A1: it says good\n" in asked
    assert "A2" not in asked
