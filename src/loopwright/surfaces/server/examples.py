"""Examples for /openapi.json: one loop that mends a ledger, as every route would tell of it."""

from typing import Any

from loopwright.core.state import Budget, EngineState, LoopTask, RunSettings
from loopwright.skills.findings import Edit, Finding, Proposal
from loopwright.workflows.cycle.model import (
    AgentResult,
    Agents,
    AgentState,
    Blocker,
    Coordination,
    CycleEngine,
    CycleState,
    CycleStepUnderWay,
    Decision,
    Exploration,
    FeedbackEntry,
    IterationRecord,
    Plan,
    PlanTask,
    Requirements,
    TestResults,
)
from loopwright.workflows.cycle.summary import cycle_glance
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import loop_glance
from loopwright.workflows.tuning.model import (
    ActionHistoryEntry,
    AppliedFix,
    DiagnosisResult,
    DiagnosisResults,
    FileChange,
    Fix,
    Standing,
    TargetSkill,
    TuningEngine,
    TuningState,
)
from loopwright.workflows.tuning.summary import tuning_glance

Example = dict[str, Any]  # Any: JSON
"""What stands in an answer beside `success`."""

LOOP_ID = "loop-v2-20260122T100000-0123abcd"
TASK_ID = "task-0123abcd"
AT, LATER = "2026-01-22T10:00:00.000+08:00", "2026-01-22T10:01:30.000+08:00"

_TASK = LoopTask(
    task_id=TASK_ID,
    description="Make total() add up",
    tool="builtin",
    created_at=AT,
    updated_at=AT,
    prompt_template="Look at ledger.py first",
)
_LOOP = LoopState(
    loop_id=LOOP_ID,
    title="Fix the ledger",
    description="Make the failing tests of the ledger pass",
    created_at=AT,
    updated_at=AT,
    engine=EngineState(
        rev=1,
        digest="5f0c3a1b" * 4,
        journal_bytes=4096,
        tasks=(_TASK,),
        budget=Budget(max_minutes=30),
        settings=RunSettings(mode="auto", agent="builtin"),
    ),
)

LOOP: Example = {"data": _LOOP.model_dump(mode="json", by_alias=True), "project": "shop"}
BRIEF: Example = loop_glance(_LOOP, "shop").model_dump(mode="json")
LOOP_PAGE: Example = {
    "data": [BRIEF],
    "total": 1,
    "limit": 50,
    "offset": 0,
    "hasMore": False,
    "timestamp": LATER,
    "damaged": [],
}
REPAIRED: Example = {"repairs": [{"type": "recovered", "data": {"from": "its journal"}}], "kept": []}

NEW_LOOP: Example = {
    "title": "Fix the ledger",
    "description": "Make the failing tests of the ledger pass",
    "max_iterations": 10,
    "agent": "builtin",
}
NEW_TASK: Example = {
    "description": "Make total() add up",
    "tool": "builtin",
    "mode": "write",
    "prompt_template": "Look at ledger.py first",
}

TASK: Example = {"data": _TASK.model_dump(mode="json")}
PLACED_TASK: Example = {"data": {**TASK["data"], "loop_id": LOOP_ID, "project": "shop"}}
TASKS: Example = {
    "data": [{**TASK["data"], "status": "pending"}],
    "total": 1,
    "loop_id": LOOP_ID,
    "timestamp": LATER,
}

CREATED_TASKS: Example = {"data": [TASK["data"]], "message": "1 task created"}

EVENTS: Example = {
    "data": [
        {
            "seq": 7,
            "ts": LATER,
            "actor": "runner",
            "type": "action_started",
            "data": {"action": "DEVELOP", "row": 5, "task": TASK_ID},
            "words": f"DEVELOP {TASK_ID}",
        }
    ],
    "hasMore": False,
}
LOOP_TRANSCRIPT: Example = {
    "data": [{"ts": LATER, "after": 7, "kind": "activity", "text": "running the tests"}],
    "position": 5120,
}
PLAN: Example = {
    "data": [
        {"content": "Phase 1: Session Initialization", "status": "completed", "depth": 0},
        {"content": "Phase 2: Orchestration Loop", "status": "in_progress", "depth": 0},
        {"content": "→ Action: DEVELOP (task 1/1)", "status": "in_progress", "depth": 1},
        {"content": "→ Action: VALIDATE", "status": "pending", "depth": 1},
        {"content": "→ Action: COMPLETE", "status": "pending", "depth": 1},
    ]
}
_TOUCHED: Example = {"file": "ledger.py", "action": "modify"}
ATTEMPTS: Example = {
    "data": [
        {
            "number": 1,
            "loop_id": LOOP_ID,
            "agent": "codex",
            "status": "completed",
            "outcome": "succeeded",
            "reason": None,
            "mutation_score": 92.5,
            "changed_lines": 6,
            "chosen": True,
        }
    ],
}
LOOP_TIMELINE: Example = {
    "data": [
        {
            "seq": 7,
            "iteration": 1,
            "action": "DEVELOP",
            "task": TASK_ID,
            "started_at": AT,
            "ended_at": LATER,
            "result": "completed",
            "reasons": [],
            "files": [_TOUCHED],
            "tokens": None,
            "cost": None,
            "checkpoint": 2,
        }
    ],
    "total": 1,
}
HISTORY: Example = {
    "data": [
        {
            "seq": 10,
            "at": LATER,
            "iteration": 2,
            "passed": False,
            "total": 12,
            "failed": 1,
            "skipped": 1,
            "pass_rate": 90.91,
            "coverage": 82.5,
            "reasons": ["tests/test_ledger.py::test_total fails"],
        }
    ],
    "total": 1,
}
CHECKPOINTS: Example = {
    "data": [
        {"n": 1, "action": "after INIT", "at": AT, "files": []},
        {"n": 2, "action": "DEVELOP", "at": LATER, "files": [_TOUCHED]},
    ]
}
DIFF: Example = {
    "data": {
        "diff": "--- a/ledger.py\n+++ b/ledger.py\n@@ -1 +1 @@\n-start = 1\n+start = 0\n",
        "truncated": False,
    }
}
TESTS: Example = {
    "data": [
        {
            "test_name": "test_total",
            "suite": "tests/test_ledger.py",
            "status": "failed",
            "duration_ms": 1.5,
            "error_message": "assert 1 == 0",
            "stack_trace": None,
        }
    ]
}
HYPOTHESES: Example = {
    "data": [
        {
            "id": "H1",
            "description": "the sum starts at one",
            "testable_condition": "the sum of nothing is zero",
            "logging_point": "ledger.py:total:7",
            "evidence_criteria": {"confirm": "1", "reject": "0"},
            "likelihood": 1,
            "status": "confirmed",
            "evidence": {"start": 1},
            "verdict_reason": "the probe saw 1",
        }
    ]
}
LOOP_FILES: Example = {"data": [{"name": "develop.md", "size": 512, "modified_at": LATER}]}
FILE: Example = {"data": {"name": "develop.md", "text": "# Development Progress\n", "truncated": False}}
MENU: Example = {
    "data": [
        {"name": "DEVELOP", "words": "work on the next task", "blocked": None, "preselected": True},
        {"name": "COMPLETE", "words": "finish", "blocked": "nothing is validated yet", "preselected": False},
    ]
}
REQUESTS: Example = {
    "data": [
        {
            "id": "p1",
            "agent": "codex",
            "action": "DEVELOP",
            "title": "Remove the cache",
            "kind": "execute",
            "paths": [],
            "command": "rm -r cache",
            "reason": "it is a command",
            "since": LATER,
            "answer": "allow",
        }
    ]
}
PROJECTS: Example = {"data": [{"name": "shop", "path": "/home/me/shop", "fleet": "shop"}]}
AGENTS: Example = {
    "data": [
        {"name": "builtin", "available": True, "problem": None},
        {"name": "codex", "available": False, "problem": "codex is not installed"},
    ]
}
_FLEET_RUN = {"kind": "loop", "account": "default", "user": "ada", "since": LATER, "project": "shop"}
FLEET: Example = {
    "data": {
        "workers": [
            {
                "executor": "forge-3127-0123ab",
                "host": "forge",
                "slots": 2,
                "version": "0.1.0",
                "started": AT,
                "age": 0.4,
                "running": 1,
                "runs": [{**_FLEET_RUN, "id": "loop-v2-20260122T100000-0123abcd", "title": "Make the tests pass"}],
            }
        ],
        "accounts": [
            {
                "name": "default",
                "slots": 4,
                "user_slots": None,
                "closed_until": None,
                "closed_why": None,
                "running": 1,
                "queued": 1,
                "users": [{"user": "ada", "running": 1, "queued": 1}],
            }
        ],
        "queue": [
            {
                **_FLEET_RUN,
                "id": "loop-v2-20260122T100500-89abcdef",
                "title": "Remove the cache",
                "priority": 0,
                "before": 0,
                "trouble": "",
            }
        ],
        "runs": {"running": 1, "queued": 1},
    }
}
HEALTH: Example = {"data": {"status": "ok", "version": "0.1.0"}}


CYCLE_ID = "cycle-v1-20260122T100000-0123abcd"
_CYCLE_TASK = "Give every account of the ledger a balance"
_MORE = "Also check that no balance is negative"

_CYCLE = CycleState(
    cycle_id=CYCLE_ID, title=_CYCLE_TASK,
    description=f"{_CYCLE_TASK}\n\n--- ITERATION 2 ---\n{_MORE}", task_history=(_CYCLE_TASK, _MORE),
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
        under_way=(CycleStepUnderWay(step="cd.implement TASK-002", at=LATER, lane=1),), called=("ra",),
        done=("ra.analyse", "ep.plan"), analysed=2, explored=1, planned=2,
    ),
)  # fmt: skip

CYCLE: Example = {"data": _CYCLE.model_dump(mode="json", by_alias=True), "project": "shop"}
CYCLE_PAGE: Example = {
    "data": [cycle_glance(_CYCLE, "shop").model_dump(mode="json")],
    "total": 1,
    "limit": 50,
    "offset": 0,
    "hasMore": False,
    "timestamp": LATER,
    "damaged": [],
}
NEW_CYCLE: Example = {
    "title": _CYCLE_TASK,
    "description": "Every account has balance(); an empty one is 0",
    "max_iterations": 5,
    "agent": "builtin",
    "roles": {"cd": "codex"},
    "parallel": 2,
}
CYCLE_TIMELINE: Example = {
    "data": [
        {
            "seq": 30,
            "iteration": 2,
            "action": "cd.implement",
            "role": "cd",
            "task": "TASK-002",
            "started_at": LATER,
            "ended_at": None,
            "result": None,
            "reasons": [],
            "files": [],
            "tokens": None,
            "cost": None,
            "checkpoint": None,
        }
    ],
    "total": 1,
}
CYCLE_TRANSCRIPT: Example = {
    "data": [{"ts": LATER, "after": 30, "role": "cd", "kind": "said", "text": "balance() is in place"}],
    "position": "0.0.5120.0.0",
}
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
    "data": [{"ts": AT, "agent": "ep", "type": "test_command", "data": {"unit": "python -m pytest"}}],
    "total": 1,
}


TUNING_ID = "skill-tuning-20260122T100000-0123abcd"
_PATH = ".claude/skills/invoices"
_FINDING = Finding(
    rule="dead-reference", dimension="dataflow", severity="medium", confidence="certain", file="SKILL.md", line=12,
    line_end=12, start=310, end=332, excerpt="Read [the rules](specs/rule.md) first.", subject="specs/rule.md",
    message="specs/rule.md does not exist", why="The model looks for it, and goes on without what it should know.",
    advice="Write specs/rules.md.", strategy="custom",
)  # fmt: skip
_EDIT = Edit(file="SKILL.md", start=318, end=331, old="specs/rule.md", new="specs/rules.md")
_DIFF = """\
diff --git a/SKILL.md b/SKILL.md
--- a/SKILL.md
+++ b/SKILL.md
@@ -12 +12 @@
-Read [the rules](specs/rule.md) first.
+Read [the rules](specs/rules.md) first.
"""
_FIX = Fix(
    id="FIX-001",
    issue_ids=("ISS-001",),
    strategy="custom",
    description="Name specs/rules.md",
    rationale="It is the only file of nearly that name.",
    risk="low",
    estimated_impact="the rules are read",
    changes=(
        FileChange(
            file="SKILL.md",
            action="modify",
            old_content="Read [the rules](specs/rule.md) first.\n",
            new_content="Read [the rules](specs/rules.md) first.\n",
            diff=_DIFF,
        ),
    ),
    verification_steps=("diagnose the whole skill again",),
)
_TUNING = TuningState(
    status="completed", started_at=AT, updated_at=LATER,
    target_skill=TargetSkill(name="invoices", path=_PATH, execution_mode="sequential", phases=("SKILL.md",)),
    diagnosis=DiagnosisResults(
        context=DiagnosisResult(status="completed"), memory=DiagnosisResult(status="completed"),
        dataflow=DiagnosisResult(status="completed"), agent=DiagnosisResult(status="completed"),
    ),
    proposed_fixes=(_FIX,),
    applied_fixes=(
        AppliedFix(
            fix_id="FIX-001", applied_at=AT, success=True, verification_result="pass", rollback_available=True,
            backup_path=f".workflow/.scratchpad/{TUNING_ID}/backups/FIX-001",
        ),
    ),
    iteration_count=1, quality_score=100, quality_gate="pass",
    completed_actions=("action-init", "action-report", "action-complete"),
    action_history=(
        ActionHistoryEntry(action="action-init", started_at=AT, completed_at=AT, result="success"),
    ),
    work_dir=f".workflow/.scratchpad/{TUNING_ID}", backup_dir=f".workflow/.scratchpad/{TUNING_ID}/backups",
    engine=TuningEngine(
        id=TUNING_ID, path=_PATH, root=f"/shop/{_PATH}", created_at=AT, rev=21, digest="5f0c3a1b" * 4,
        journal_bytes=20480, level="mechanical", outcome="succeeded", size=900, settings=RunSettings(mode="auto"),
        standings=(
            Standing(iteration=0, score=97, gate="pass", tree="0f" * 16),
            Standing(iteration=1, score=100, gate="pass", tree="1e" * 16),
        ),
        proposals={
            "FIX-001": Proposal(
                fingerprints=(_FINDING.fingerprint,), rule="dead-reference", strategy="custom", level="mechanical",
                description=_FIX.description, rationale=_FIX.rationale, edits=(_EDIT,),
            )
        },
    ),
)  # fmt: skip

TUNING: Example = {"data": _TUNING.model_dump(mode="json", by_alias=True), "project": "shop"}
TUNING_PAGE: Example = {
    "data": [tuning_glance(_TUNING, "shop").model_dump(mode="json")],
    "total": 1,
    "limit": 50,
    "offset": 0,
    "hasMore": False,
    "timestamp": LATER,
    "damaged": [],
}
NEW_TUNING: Example = {"path": _PATH, "description": "it forgets the rules", "fix": "all", "choose": True}
FIX: Example = {"data": {"fix": _FIX.model_dump(mode="json"), "applied": None, "diff": _DIFF}}
SOURCE: Example = {"data": {"file": "SKILL.md", "text": "# Invoices\n", "truncated": False}}
TUNING_FILES: Example = {"data": [{"file": "SKILL.md", "kind": "skill", "size": 3600, "tokens": 900}]}
REPORT: Example = {"data": {"text": "# invoices\n", "truncated": False}}
GRAPH: Example = {
    "data": {
        "nodes": [
            {"id": "file:SKILL.md", "kind": "file", "name": "SKILL.md", "file": "SKILL.md", "line": 1, "tokens": 900},
            {"id": "tool:Read", "kind": "tool", "name": "Read", "file": "SKILL.md", "line": 14, "tokens": None},
        ],
        "edges": [{"source": "file:SKILL.md", "target": "tool:Read", "kind": "uses"}],
        "course": [
            {
                "name": "SKILL.md",
                "file": "SKILL.md",
                "own": 900,
                "loads": 0,
                "total": 900,
                "share": 900,
                "files": [],
            }
        ],
        "worst": 900,
        "truncated": False,
    }
}
