"""Examples for /openapi.json: one loop that mends a ledger, as every route would tell of it."""

from typing import Any

from loopwright.domain.engine_state import Budget, EngineState, LoopTask, RunSettings
from loopwright.domain.glance import glance
from loopwright.domain.loop import LoopState

Example = dict[str, Any]  # Any: JSON
"""What stands in an answer beside `success`."""

ID = "loop-v2-20260122T100000-0123abcd"
TASK_ID = "task-0123abcd"
AT, LATER = "2026-01-22T10:00:00.000+08:00", "2026-01-22T10:01:30.000+08:00"

_TASK = LoopTask(
    task_id=TASK_ID, description="Make total() add up", tool="builtin", created_at=AT, updated_at=AT,
    prompt_template="Look at ledger.py first",
)  # fmt: skip
_LOOP = LoopState(
    loop_id=ID, title="Fix the ledger", description="Make the failing tests of the ledger pass", created_at=AT,
    updated_at=AT, engine=EngineState(
        rev=1, digest="5f0c3a1b" * 4, journal_bytes=4096, tasks=(_TASK,), budget=Budget(max_minutes=30),
        settings=RunSettings(mode="auto", agent="builtin"),
    ),
)  # fmt: skip

LOOP: Example = {"data": _LOOP.model_dump(mode="json", by_alias=True), "project": "shop"}
BRIEF: Example = glance(_LOOP, "shop").model_dump(mode="json")
PAGE: Example = {
    "data": [BRIEF], "total": 1, "limit": 50, "offset": 0, "hasMore": False, "timestamp": LATER, "damaged": [],
}  # fmt: skip
REPAIRED: Example = {"repairs": [{"type": "recovered", "data": {"from": "its journal"}}], "kept": []}

NEW_LOOP: Example = {
    "title": "Fix the ledger", "description": "Make the failing tests of the ledger pass", "max_iterations": 10,
    "agent": "builtin",
}  # fmt: skip
NEW_TASK: Example = {
    "description": "Make total() add up", "tool": "builtin", "mode": "write",
    "prompt_template": "Look at ledger.py first",
}  # fmt: skip

TASK: Example = {"data": _TASK.model_dump(mode="json")}
PLACED_TASK: Example = {"data": {**TASK["data"], "loop_id": ID, "project": "shop"}}
TASKS: Example = {
    "data": [{**TASK["data"], "status": "pending"}], "total": 1, "loop_id": ID, "timestamp": LATER,
}  # fmt: skip

CREATED_TASKS: Example = {"data": [TASK["data"]], "message": "1 task created"}

EVENTS: Example = {
    "data": [
        {
            "seq": 7, "ts": LATER, "actor": "runner", "type": "action_started",
            "data": {"action": "DEVELOP", "row": 5, "task": TASK_ID}, "words": f"DEVELOP {TASK_ID}",
        }
    ],
    "hasMore": False,
}  # fmt: skip
TRANSCRIPT: Example = {
    "data": [{"ts": LATER, "after": 7, "kind": "activity", "text": "running the tests"}], "position": 5120,
}  # fmt: skip
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
TIMELINE: Example = {
    "data": [
        {
            "seq": 7, "iteration": 1, "action": "DEVELOP", "task": TASK_ID, "started_at": AT, "ended_at": LATER,
            "result": "completed", "reasons": [], "files": [_TOUCHED], "tokens": None, "cost": None, "checkpoint": 2,
        }
    ],
    "total": 1,
}  # fmt: skip
HISTORY: Example = {
    "data": [
        {
            "seq": 10, "at": LATER, "iteration": 2, "passed": False, "total": 12, "failed": 1, "skipped": 1,
            "pass_rate": 90.91, "coverage": 82.5, "reasons": ["tests/test_ledger.py::test_total fails"],
        }
    ],
    "total": 1,
}  # fmt: skip
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
            "test_name": "test_total", "suite": "tests/test_ledger.py", "status": "failed", "duration_ms": 1.5,
            "error_message": "assert 1 == 0", "stack_trace": None,
        }
    ]
}  # fmt: skip
HYPOTHESES: Example = {
    "data": [
        {
            "id": "H1", "description": "the sum starts at one", "testable_condition": "the sum of nothing is zero",
            "logging_point": "ledger.py:total:7", "evidence_criteria": {"confirm": "1", "reject": "0"},
            "likelihood": 1, "status": "confirmed", "evidence": {"start": 1}, "verdict_reason": "the probe saw 1",
        }
    ]
}  # fmt: skip
FILES: Example = {"data": [{"name": "develop.md", "size": 512, "modified_at": LATER}]}
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
            "id": "p1", "agent": "codex", "action": "DEVELOP", "title": "Remove the cache", "kind": "execute",
            "paths": [], "command": "rm -r cache", "reason": "it is a command", "since": LATER, "answer": "allow",
        }
    ]
}  # fmt: skip
PROJECTS: Example = {"data": [{"name": "shop", "path": "/home/me/shop"}]}
AGENTS: Example = {
    "data": [
        {"name": "builtin", "available": True, "problem": None},
        {"name": "codex", "available": False, "problem": "codex is not installed"},
    ]
}
HEALTH: Example = {"data": {"status": "ok", "version": "0.1.0"}}
