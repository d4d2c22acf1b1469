"""Roles without a model: what they write follows from the tree and the tests, and says so."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.agents.task_agent import TaskAgent
from loopwright.core.cycle_names import Role
from loopwright.core.ports import Agent, AgentEnvironment, TestOrder
from loopwright.core.progress_files import read_text
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.evidence.testing import TestRun
from loopwright.reports.discoveries import read_board
from loopwright.survey import ProjectSurveyor
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.templates import ADDED_HEADING
from tests.cycle.stage import Cast, CycleStage, MakeCycleStage, Turn, said
from tests.fakes import JudgedTests

WITHOUT_MODEL: dict[Role, str] = {"ra": "plain", "ep": "plain", "vas": "plain"}

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": '"""A cart."""\n\n\ndef total(prices: list[int]) -> int:\n    return sum(prices) + 1\n',
    "tests/test_cart.py": (
        "import pytest\n\nfrom shop.cart import total\n\n\n"
        "@pytest.mark.parametrize('prices', [[], [0]])\ndef test_nothing_costs_nothing(prices):\n"
        "    assert total(prices) == 0\n"
    ),
    "pyproject.toml": '[project]\nname = "shop"\n',
}
KEY = "tests/test_cart.py::test_nothing_costs_nothing"
GREETS = "tests/test_greeting.py::test_greets"


DOCUMENTS = ("ra/requirements.md", "ra/edge-cases.md", "ep/exploration.md", "ep/architecture.md", "vas/summary.md")


class CartTests(JudgedTests):
    """Its results are of a file, as real runners have them."""

    async def run(self, order: TestOrder) -> TestRun:
        run = await super().run(order)
        told = "AssertionError: assert 1 == 0" if run.failed else None
        named = [(result.test_name.partition("::"), result) for result in run.results]
        return run.evolve(
            results=tuple(r.evolve(suite=file, test_name=name, error_message=told) for (file, _, name), r in named)
        )


class PlainAgent(TaskAgent):
    """Has no model: whoever asks it for words does wrong."""

    name = "plain"
    capabilities = Capabilities()

    async def play(self, id: str, message: Message) -> AgentOutput:
        raise AssertionError(f"asked for {message.action}")


@dataclass
class PlainStage(CycleStage):
    def make_agent(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        return PlainAgent() if name == "plain" else super().make_agent(name, around, at)


def cart_is_right(project: Path) -> dict[str, str]:
    """A greeting has a test of its own."""
    is_right = "+ 1" not in (project / "shop/cart.py").read_text()
    expects = "== 0" in (project / "tests/test_cart.py").read_text()
    cart = {KEY: "passed" if is_right and expects else "failed"}
    return {**cart, **({GREETS: "passed"} if (project / "shop/greeting.py").exists() else {})}


async def mends(turn: Turn) -> str:
    turn.change("shop/cart.py", FILES["shop/cart.py"].replace(" + 1", ""))
    return said("cd")


@pytest.fixture
def stage(make_stage: MakeCycleStage) -> PlainStage:
    made = make_stage()
    (made.project / "app.txt").unlink()
    for name, text in FILES.items():
        (made.project / name).parent.mkdir(exist_ok=True)
        (made.project / name).write_text(text)
    stage = PlainStage(made.project, made.store, cast=Cast({"cd.implement": [mends]}), judge=cart_is_right)
    stage.tests = CartTests(stage.project, cart_is_right)
    stage.surveyor = ProjectSurveyor(stage.project, stage.workspace.listed)
    return stage


async def driven(stage: PlainStage, text: str = "Make the tests pass") -> tuple[str, CycleState]:
    id = stage.create(text, roles=WITHOUT_MODEL)
    return id, await stage.drive(id)


async def test_a_whole_cycle(stage: PlainStage) -> None:
    id, state = await driven(stage)
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert stage.cast.steps() == ["cd.implement"]
    assert state.plan is not None
    (task,) = state.plan.tasks
    assert (task.description, task.files) == (f"Make these tests pass: {KEY}", ("shop/cart.py",))
    documents = {name: stage.document(id, name) for name in DOCUMENTS}
    for name, text in documents.items():
        assert text.startswith("<!-- version 1.0.0 · iteration 1"), name
        assert ADDED_HEADING in text, name
        lines = [line for line in text.splitlines() if line.startswith("- ")]
        assert all(line.endswith(")") for line in lines), name
    assert "- R1: Make the tests pass (the task)" in documents["ra/requirements.md"]
    demand = f"- T1: nothing costs nothing; now: AssertionError: assert 1 == 0 ({KEY}, line 7)"
    assert demand in documents["ra/requirements.md"]
    assert "- nothing costs nothing: prices = [] (tests/test_cart.py:7)" in documents["ra/edge-cases.md"]
    assert state.requirements is not None
    assert "nothing costs nothing: prices = [] (tests/test_cart.py:7)" in state.requirements.edge_cases
    assert "shop/cart.py" in documents["ep/exploration.md"]
    assert json.loads(stage.document(id, "ep/plan.json"))["tasks"][0]["id"] == "TASK-001"


async def test_what_goes_to_the_board_is_what_the_board_takes(stage: PlainStage) -> None:
    id, _ = await driven(stage)
    types = set()
    for role in ("ep", "vas"):
        found, bad = read_board(read_text(stage.store.progress_path(id) / role, "discoveries.ndjson").text)
        assert bad == ()
        types |= {one.type for one in found}
    assert types == {
        "tech_stack", "test_command", "test_baseline", "project_config", "architecture", "code_convention",
        "integration_point",
    }  # fmt: skip


async def test_an_extension_is_planned_for_whoever_can_do_it(stage: PlainStage) -> None:
    id, _ = await driven(stage)

    async def greets(turn: Turn) -> str:
        turn.change("shop/greeting.py", "def greet() -> str:\n    return 'hello'\n")
        return said("cd")

    stage.cast.plays["cd.implement"] = [greets]
    stage.service.extend(id, "Add a greeting")
    state = await stage.drive(id)
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert state.plan is not None
    assert [task.description for task in state.plan.tasks][-1] == "Add a greeting"
    assert state.requirements is not None
    assert "R2: Add a greeting (the user, iteration 2)" in state.requirements.specification
    assert stage.document(id, "ra/requirements.md").startswith("<!-- version 1.1.0 · iteration 2")
    assert "R2" not in stage.document(id, "ra/history/requirements-v1.0.0.md")


async def test_spoilt_failures_cost_only_their_words(stage: PlainStage) -> None:
    id = stage.create("Make the tests pass", roles=WITHOUT_MODEL)

    def spoil(note: object) -> None:
        path = stage.store.progress_path(id) / "vas" / "failures.json"
        if path.exists():
            path.write_text('[{"test": 3}]')

    state = await stage.drive(id, on_note=spoil)
    assert state.engine.outcome == "succeeded"
    assert "nothing costs nothing" in stage.document(id, "ra/requirements.md")
