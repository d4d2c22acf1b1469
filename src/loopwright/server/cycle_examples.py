"""Examples of cycles for /openapi.json: one that gives a shop's ledger balances, in its second iteration."""

from loopwright.domain.cycle import (
    AgentResult,
    Agents,
    AgentState,
    Blocker,
    Coordination,
    CycleState,
    Decision,
    Exploration,
    FeedbackEntry,
    IterationRecord,
    Plan,
    PlanTask,
    Requirements,
    TestResults,
)
from loopwright.domain.cycle_engine import CycleEngine, UnderWay
from loopwright.domain.cycle_glance import cycle_glance
from loopwright.domain.engine_state import Budget, RunSettings
from loopwright.server.examples import AT, LATER, Example

ID = "cycle-v1-20260122T100000-0123abcd"
_TASK = "Give every account of the ledger a balance"
_MORE = "Also check that no balance is negative"

_CYCLE = CycleState(
    cycle_id=ID, title=_TASK, description=f"{_TASK}\n\n--- ITERATION 2 ---\n{_MORE}", task_history=(_TASK, _MORE),
    status="running", created_at=AT, updated_at=LATER, current_iteration=2, current_phase="cd",
    completed_phases=("ra", "ep", "cd", "vas", "ra", "ep"),
    agents=Agents(
        ra=AgentState(status="completed", output_files=("ra/requirements.md",), iterations_completed=1),
        ep=AgentState(status="completed", output_files=("ep/plan.json",), iterations_completed=1),
        cd=AgentState(status="running", started_at=LATER, iterations_completed=1),
        vas=AgentState(iterations_completed=1),
    ),
    requirements=Requirements(
        version="1.1.0", specification="# Requirements\n\n- balance() adds up an account\n",
        edge_cases=("an account without entries",), last_updated=LATER,
    ),
    exploration=Exploration(
        version="1.0.0", architecture_summary="one module, ledger.py", integration_points=("ledger.py",),
        last_updated=AT,
    ),
    plan=Plan(
        version="1.1.0", total_estimated_effort="2 small", critical_path=("TASK-001", "TASK-002"), last_updated=LATER,
        tasks=(
            PlanTask(id="TASK-001", description="Add balance()", status="completed", files=("ledger.py",)),
            PlanTask(
                id="TASK-002", description="Refuse a negative balance", depends_on=("TASK-001",),
                status="in_progress", assigned_to="cd", files=("ledger.py",),
            ),
        ),
    ),
    test_results=TestResults(version="1.0.0", pass_rate=100, coverage=82.5, total_tests=12, last_run=AT),
    iterations=(
        IterationRecord(
            number=1, started_at=AT, completed_at=AT, resolved=True,
            agent_results={"cd": AgentResult(status="completed", files_modified=1)},
        ),
        IterationRecord(number=2, started_at=LATER, extension=_MORE),
    ),
    coordination=Coordination(
        feedback_log=(
            FeedbackEntry(timestamp=LATER, source="user", target="ra", content=_MORE, type="requirement_update"),
        ),
        pending_decisions=(Decision(id="DEC-001", description="What may be negative?", options=("credit", "nothing")),),
        blockers=(Blocker(id="BLK-001", description="the currency is not known", reported_by="cd"),),
    ),
    engine=CycleEngine(
        rev=31, digest="5f0c3a1b" * 4, journal_bytes=40960, budget=Budget(max_minutes=60), roles={"cd": "codex"},
        settings=RunSettings(mode="interactive", agent="builtin"),
        under_way=(UnderWay(step="cd.implement TASK-002", at=LATER, lane=1),), called=("ra",),
        done=("ra.analyse", "ep.plan"), analysed=2, explored=1, planned=2,
    ),
)  # fmt: skip

CYCLE: Example = {"data": _CYCLE.model_dump(mode="json", by_alias=True), "project": "shop"}
PAGE: Example = {
    "data": [cycle_glance(_CYCLE, "shop").model_dump(mode="json")], "total": 1, "limit": 50, "offset": 0,
    "hasMore": False, "timestamp": LATER, "damaged": [],
}  # fmt: skip
NEW_CYCLE: Example = {
    "title": _TASK, "description": "Every account has balance(); an empty one is 0", "max_iterations": 5,
    "agent": "builtin", "roles": {"cd": "codex"}, "parallel": 2,
}  # fmt: skip
TIMELINE: Example = {
    "data": [
        {
            "seq": 30, "iteration": 2, "action": "cd.implement", "role": "cd", "task": "TASK-002",
            "started_at": LATER, "ended_at": None, "result": None, "reasons": [], "files": [], "tokens": None,
            "cost": None, "checkpoint": None,
        }
    ],
    "total": 1,
}  # fmt: skip
TRANSCRIPT: Example = {
    "data": [{"ts": LATER, "after": 30, "role": "cd", "kind": "said", "text": "balance() is in place"}],
    "position": "0.0.5120.0.0",
}  # fmt: skip
DOCUMENTS: Example = {
    "data": [
        {
            "name": "ra/requirements.md",
            "folder": "ra",
            "size": 512,
            "modified_at": LATER,
            "version": "1.1.0",
            "versions": ["1.0.0", "1.1.0"],
        }
    ]
}
DOCUMENT: Example = {
    "data": {"name": "ra/requirements.md", "version": "1.1.0", "text": "# Requirements\n", "truncated": False}
}
DISCOVERIES: Example = {
    "data": [{"ts": AT, "agent": "ep", "type": "test_command", "data": {"unit": "python -m pytest"}}], "total": 1,
}  # fmt: skip
