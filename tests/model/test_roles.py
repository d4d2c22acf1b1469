"""The messages of a cycle, as its own prompts make them, told apart by role."""

from pathlib import Path

import pytest

from loopwright.core.cycle_names import CycleStep, Role
from loopwright.reports.phase import read_phase_report
from loopwright.reports.text import parse_report
from loopwright.workflows.cycle.messages import compose_message, cycle_prompts
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.orders import Surroundings
from tests.model.roles import Ordered, by_step, ordered
from tests.model.script import Conversation, McpCall, Message, Reply

AT = "2026-01-22T10:00:00+08:00"
STATE = CycleState(cycle_id="cycle-1", title="t", description="Make it good.", created_at=AT, updated_at=AT)


def asked(
    role: Role, step: CycleStep, project: str = "/p", folder: str = "/p/.workflow/.cycle/cycle-1.progress/x"
) -> Conversation:
    texts = compose_message(
        cycle_prompts(), state=STATE, role=role, step=step, order="Do it.", around=Surroundings(project=project),
        folder=folder,
    )  # fmt: skip
    return Conversation("m", "", ("t",), (Message("user", texts.text),))


@pytest.mark.parametrize(
    ("role", "step"),
    [
        ("ra", CycleStep("ra.analyse")), ("ep", CycleStep("ep.explore")), ("ep", CycleStep("ep.plan")),
        ("cd", CycleStep("cd.implement", "TASK-001")), ("vas", CycleStep("vas.validate")),
    ],
)  # fmt: skip
def test_an_order_is_known_by_its_message(role: Role, step: CycleStep) -> None:
    order = ordered(asked(role, step, "/p/with.dots", "/p/with.dots/.workflow/x.progress/own"))
    assert (order.step, order.task, order.iteration, order.role) == (step.name, step.task, 1, role)
    assert order.project == Path("/p/with.dots")
    assert order.folder == Path("/p/with.dots/.workflow/x.progress/own")


def test_each_role_has_its_course() -> None:
    def named(name: str) -> Reply:
        return Reply(text=name)

    script = by_step({
        "cd.implement TASK-002": lambda order: [named("the second")], "cd": lambda order: [named("any task")],
        "ep.plan": lambda order: [Reply(calls=(order.writes("plan.json", "{}"),)), named("planned")],
    })  # fmt: skip
    for step, text in (("TASK-001", "any task"), ("TASK-002", "the second")):
        answer = script(asked("cd", CycleStep("cd.implement", step)))
        assert isinstance(answer, Reply)
        assert answer.text == text
    planning = asked("ep", CycleStep("ep.plan"))
    first = script(planning)
    assert isinstance(first, Reply)
    assert first.calls
    done = Conversation("m", "", (), (*planning.history, Message("model", ""), Message("tool", "ok")))
    assert script(done) == Reply(text="planned")
    with pytest.raises(LookupError, match="no course for ra"):
        script(asked("ra", CycleStep("ra.analyse")))
    with pytest.raises(LookupError, match="orders no step"):
        script(Conversation("m", "", (), (Message("user", "Hello."),)))


def test_reports_are_such_as_the_engine_takes() -> None:
    order = Ordered("ep.plan", None, 1, Path("/p"), Path("/x"), "")
    report = parse_report(order.said("planned", "partial", issues=["one"]).text, "ep.plan")
    assert report is not None
    assert (read_phase_report(report, "ep").summary, read_phase_report(report, "ep").issues) == ("planned", ("one",))
    (call,) = order.told("planned", issues=["one"])[0].calls
    assert isinstance(call, McpCall)
    assert (call.tool, call.arguments["phase"]) == ("report_phase_result", "ep")
