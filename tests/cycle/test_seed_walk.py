"""The course that the schema of cycles is documented with, as one real run: four documents, and where each is reached.

The documents are those of tests/golden/cycle_documents. Each leaf of them is a value of some commit of this run, but
for a few that no run can reach; `docs/cycle.md` tells the same tables.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loopwright.core.cycle_names import ROLES
from loopwright.core.ports import Store, TestOrder
from loopwright.core.record import JournalEntry
from loopwright.evidence.testing import Coverage, TestResult, TestRun
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import Cast, CycleStage, Turn, planned, said
from tests.fakes import JudgedTests
from tests.waiting import soon

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = ROOT / "tests" / "golden" / "cycle_documents"

Json = Any  # Any: parsed JSON

EXTENSION = "Also add multi-factor authentication"


class Moment(NamedTuple):
    """The `nth` commit of a step, and what of the document it holds, all at once: leaves that begin so."""

    event: str
    step: str
    nth: int
    told: str
    holds: tuple[str, ...]


MOMENTS: dict[str, tuple[Moment, ...]] = {
    "created": (Moment("created", "", 1, "`create`", ("",)),),
    "first_iteration": (
        Moment(
            "step_finished", "vas.baseline", 1, "`vas.baseline`, while ra is working",
            ("status", "current_iteration", "current_phase", "agents", "iterations.0.number"),
        ),
        Moment(
            "step_finished", "cd.implement", 2, "`cd.implement TASK-002`, with TASK-003 pending",
            ("status", "current_iteration", "requirements", "iterations"),
        ),
    ),
    "after_phases": (Moment("step_finished", "vas.validate", 1, "`vas.validate`", ("",)),),
    "extended": (
        Moment(
            "step_finished", "aggregation", 1, "aggregation: iteration 2 is open",
            (
                "status", "current_iteration", "task_history", "description", "iterations", "coordination",
                "agents.ra.iterations_completed", "agents.ep", "agents.cd", "agents.vas",
            ),
        ),
        Moment(
            "step_started", "ra.analyse", 2, "`ra.analyse` has begun again",
            ("status", "current_iteration", "task_history", "description", "agents", "coordination"),
        ),
        Moment(
            "step_finished", "ra.analyse", 2, "`ra.analyse` is over",
            ("status", "current_iteration", "task_history", "description", "requirements"),
        ),
    ),
}  # fmt: skip

NEVER: dict[tuple[str, str], str] = {
    ("created", "cycle_id"): "an id with six characters: ours end in eight",
    ("first_iteration", "iterations.0.agent_results.ra.files_modified"): "3 files of ra: it has two documents",
    ("after_phases", "test_results.failed_tests"): "one failing test of 20 at 85 %: that is three",
    ("extended", "coordination.feedback_log.0.content"): "feedback that rephrases the user: we keep the exact words",
}
"""Single values that no run reaches, and why; the field holds another value of the same kind."""

NOT_AT_ONCE: dict[str, str] = {
    "first_iteration": (
        "ra working (phase ra) with its document finished and cd's first files present: two moments in one"
    ),
    "extended": (
        "ra working with requirements 1.1.0, which it is still writing, and with no results of the iteration, which "
        "exist as soon as any role works: three moments in one"
    ),
}
"""Documents that show several moments as one, and what no single commit can hold therefore."""

ELIDED = "..."


class CoveredTests(JudgedTests):
    """With names of their own, and with coverage."""

    async def run(self, order: TestOrder) -> TestRun:
        run = await super().run(order)
        results = tuple(TestResult(test_name=r.test_name, suite="", status=r.status) for r in run.results)
        return run.evolve(results=results, coverage=Coverage(percent=78))


LATE = ("test: OAuth timeout retry", "test: refresh", "test: logout")


def judge(project: Path) -> dict[str, str]:
    """Five tests at first, then 20 of which three fail, until the second factor is there."""
    first = {f"test: {n}": "passed" for n in range(5)}
    if not (project / "tests" / "oauth.test.ts").exists():
        return first
    late = "passed" if (project / "src" / "mfa.ts").exists() else "failed"
    return first | {f"test: OAuth {n}": "passed" for n in range(12)} | dict.fromkeys(LATE, late)


def task(id: str, description: str, *files: str) -> dict[str, object]:
    return {"id": id, "description": description, "effort": "small", "depends_on": [], "files": [*files]}


TASKS = (
    task("TASK-001", "Setup OAuth application credentials", "src/config/oauth.ts"),
    task("TASK-002", "Sign in with each provider", *(f"src/auth/{n}.ts" for n in ("google", "github", "flow", "pkce"))),
    task("TASK-003", "Sessions, with tests", *(f"src/session/{n}.ts" for n in range(6)), "tests/oauth.test.ts"),
)
FACTOR = task("TASK-010", "A second factor at sign in", "src/mfa.ts")


@dataclass
class Walk:
    """The run, commit by commit, as it is replayed from the journal."""

    entries: list[JournalEntry]
    states: dict[int, Json]
    last: CycleState

    def at(self, moment: Moment) -> Json:
        revs = [
            entry.seq
            for entry in self.entries
            if entry.event.type == moment.event and entry.event.data.get("step", "") == moment.step
        ]
        assert len(revs) >= moment.nth, f"{moment.told}: {[(e.event.type, e.event.data) for e in self.entries]}"
        return self.states[revs[moment.nth - 1]]


async def walked(stage: CycleStage) -> Walk:
    """The seed's course, played by scripted roles."""
    id = stage.service.create(
        "Add OAuth2 login support with Google and GitHub providers", title="Implement OAuth authentication",
        parallel=1, settings=stage.service.read(stage.create()).engine.settings,
    ).cycle_id  # fmt: skip

    async def analyses(turn: Turn) -> str:
        turn.write("requirements.md", "# Requirements\n\nSign in with a provider.\n")
        turn.write("edge-cases.md", "- OAuth timeout handling\n- PKCE validation\n")
        await soon(lambda: stage.service.read(id).engine.tests_found is not None)
        return said("ra")

    async def analyses_again(turn: Turn) -> str:
        turn.write("requirements.md", "# Requirements\n\nSign in with a provider and a second factor.\n")
        return said("ra")

    async def explores(turn: Turn) -> str:
        turn.write("exploration.md", "# Exploration\n\n## Integration points\n\n- src/auth: sign in\n")
        return said("ep")

    async def plans(turn: Turn) -> str:
        turn.write("plan.json", planned(*TASKS))
        return said("ep")

    async def plans_more(turn: Turn) -> str:
        turn.write("plan.json", planned(*TASKS, FACTOR))
        return said("ep")

    async def implements(turn: Turn) -> str:
        files = next(each["files"] for each in (*TASKS, FACTOR) if f"cd.implement {each['id']}" in turn.message.text)
        assert isinstance(files, list)
        for name in files:
            turn.change(name, "export {}\n")
        return said("cd", files_written=files)

    async def mends(turn: Turn) -> str:
        turn.change("src/auth/flow.ts", (turn.place / "src/auth/flow.ts").read_text() + "// once more\n")
        return said("cd")

    async def carries_out(turn: Turn) -> str:
        return await (mends(turn) if "Make these tests pass" in turn.message.text else implements(turn))

    async def judges(turn: Turn) -> str:
        """Meanwhile the user adds something."""
        turn.write("summary.md", "# Judgement\n\nThree of the tests fail.\n")
        stage.service.extend(id, EXTENSION)
        return said("vas")

    stage.cast = Cast({
        "ra.analyse": [analyses, analyses_again], "ep.explore": [explores], "ep.plan": [plans, plans_more],
        "cd.implement": [carries_out] * 20, "vas.validate": [judges],
    })  # fmt: skip
    last = await stage.drive(id)
    entries = list(stage.store.events(id))
    states = {entry.seq: json.loads(stage.store.read_at(id, entry.seq).model_dump_json()) for entry in entries}
    return Walk(entries, states, last)


@pytest.fixture
async def walk(project: Path, cycles: Store[CycleState]) -> Walk:
    stage = CycleStage(project, cycles)
    stage.tests = CoveredTests(project, judge)
    return await walked(stage)


def document(name: str) -> Json:
    return json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))


def leaves(value: Json, at: str = "") -> Iterator[tuple[str, Json]]:
    """Every field that holds no further fields, by its path; a list of plain values is one."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from leaves(part, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for n, part in enumerate(value):
            yield from leaves(part, f"{at}.{n}")
    else:
        yield at, value


MISSING = object()


def found(state: Json, path: str) -> Json:
    for part in path.split("."):
        if isinstance(state, list):
            state = state[int(part)] if int(part) < len(state) else MISSING
        else:
            state = state.get(part, MISSING) if isinstance(state, dict) else MISSING
    return state


def same_kind(theirs: Json, ours: Json) -> bool:
    """The same type in JSON; times are a type."""
    if ours is MISSING:
        return False
    if isinstance(theirs, list) and isinstance(ours, list):
        return all(same_kind(theirs[0], each) for each in ours) if theirs else True
    if isinstance(theirs, int | float) and isinstance(ours, int | float):
        return True
    if is_time(theirs):
        return is_time(ours)
    return type(theirs) is type(ours)


def agrees(theirs: Json, ours: Json) -> bool:
    """The same value; a time is any, and what was left out is anything but nothing."""
    if theirs == ELIDED:
        return isinstance(ours, str) and ours != ""
    return same_kind(theirs, ours) and (is_time(theirs) or theirs == ours)


def is_time(value: Json) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def within(path: str, beginnings: tuple[str, ...]) -> bool:
    return any(not each or path == each or path.startswith(f"{each}.") for each in beginnings)


NAMES = sorted(MOMENTS)


def test_every_document_and_every_leaf_has_its_moment() -> None:
    assert sorted(path.stem for path in DOCUMENTS.iterdir()) == NAMES
    for name in NAMES:
        begins = tuple(each for moment in MOMENTS[name] for each in moment.holds)
        assert [path for path, _ in leaves(document(name)) if not within(path, begins)] == []
    known = {(name, path) for name in NAMES for path, _ in leaves(document(name))}
    assert NEVER.keys() <= known


async def test_the_walk(walk: Walk) -> None:
    """One run for all of it: it is not short."""
    assert (walk.last.status, walk.last.current_iteration) == ("completed", 2), walk.last.failure_reason
    for name in NAMES:
        for moment in MOMENTS[name]:
            assert_holds(walk, name, moment)
        assert_never(walk, name)
    assert_goes_on(walk)


def assert_holds(walk: Walk, name: str, moment: Moment) -> None:
    """All leaves of the moment in one commit, by their values or, where no run can have these, by their types."""
    state = walk.at(moment)
    for path, theirs in leaves(document(name)):
        if not within(path, moment.holds):
            continue
        ours = found(state, path)
        check: Callable[[Json, Json], bool] = same_kind if (name, path) in NEVER else agrees
        assert check(theirs, ours), f"{name}: {path} is {ours!r} at {moment.told}, not {theirs!r}"


def assert_never(walk: Walk, name: str) -> None:
    """What is said to be out of reach is: no commit has the value, none the whole of a document of several moments."""
    whole = list(leaves(document(name)))
    for path, theirs in whole:
        if (name, path) in NEVER:
            assert not any(found(state, path) == theirs for state in walk.states.values()), path
    reachable = [(path, theirs) for path, theirs in whole if (name, path) not in NEVER]
    at_once = [
        rev
        for rev, state in walk.states.items()
        if all(agrees(theirs, found(state, path)) for path, theirs in reachable)
    ]
    assert bool(at_once) is (name not in NOT_AT_ONCE), (name, at_once)


def assert_goes_on(walk: Walk) -> None:
    """Versions, markers and results go on in the second iteration as they began in the first."""
    last = json.loads(walk.last.model_dump_json())
    assert {last[part]["version"] for part in ("requirements", "exploration", "plan", "test_results")} == {"1.1.0"}
    assert [*last["changes"]["iteration_markers"]] == ["1", "2"]
    assert last["completed_phases"] == [*ROLES, *ROLES]
    assert [entry["type"] for entry in last["coordination"]["feedback_log"]] == [
        "requirement_update", "bug_report", "issue_fix",
    ]  # fmt: skip
    assert [record["resolved"] for record in last["iterations"]] == [False, True]
    assert (last["test_results"]["pass_rate"], last["current_phase"]) == (100, "complete")


def test_the_page_tells_the_same() -> None:
    page = " ".join((ROOT / "docs" / "cycle.md").read_text(encoding="utf-8").split())
    for name in NAMES:
        for moment in MOMENTS[name]:
            assert f"| {moment.told} |" in page, moment.told
    for words in (*NEVER.values(), *NOT_AT_ONCE.values()):
        assert words in page, words
