"""Examples of tuning sessions for /openapi.json: one that has mended a dead link of a skill."""

from loopwright.domain.engine_state import RunSettings
from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.domain.tuning import (
    ActionHistoryEntry,
    AppliedFix,
    DiagnosisResult,
    DiagnosisResults,
    FileChange,
    Fix,
    TargetSkill,
    TuningState,
)
from loopwright.domain.tuning_engine import Standing, TuningEngine
from loopwright.domain.tuning_glance import tuning_glance
from loopwright.server.examples import AT, LATER, Example

ID = "skill-tuning-20260122T100000-0123abcd"
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
    id="FIX-001", issue_ids=("ISS-001",), strategy="custom", description="Name specs/rules.md",
    rationale="It is the only file of nearly that name.", risk="low", estimated_impact="the rules are read",
    changes=(
        FileChange(
            file="SKILL.md", action="modify", old_content="Read [the rules](specs/rule.md) first.\n",
            new_content="Read [the rules](specs/rules.md) first.\n", diff=_DIFF,
        ),
    ),
    verification_steps=("diagnose the whole skill again",),
)  # fmt: skip
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
            backup_path=f".workflow/.scratchpad/{ID}/backups/FIX-001",
        ),
    ),
    iteration_count=1, quality_score=100, quality_gate="pass",
    completed_actions=("action-init", "action-report", "action-complete"),
    action_history=(
        ActionHistoryEntry(action="action-init", started_at=AT, completed_at=AT, result="success"),
    ),
    work_dir=f".workflow/.scratchpad/{ID}", backup_dir=f".workflow/.scratchpad/{ID}/backups",
    engine=TuningEngine(
        id=ID, path=_PATH, root=f"/shop/{_PATH}", created_at=AT, rev=21, digest="5f0c3a1b" * 4, journal_bytes=20480,
        level="mechanical", outcome="succeeded", size=900, settings=RunSettings(mode="auto"),
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
PAGE: Example = {
    "data": [tuning_glance(_TUNING, "shop").model_dump(mode="json")], "total": 1, "limit": 50, "offset": 0,
    "hasMore": False, "timestamp": LATER, "damaged": [],
}  # fmt: skip
NEW_TUNING: Example = {"path": _PATH, "description": "it forgets the rules", "fix": "all", "choose": True}
FIX: Example = {"data": {"fix": _FIX.model_dump(mode="json"), "applied": None, "diff": _DIFF}}
SOURCE: Example = {"data": {"file": "SKILL.md", "text": "# Invoices\n", "truncated": False}}
FILES: Example = {"data": [{"file": "SKILL.md", "kind": "skill", "size": 3600, "tokens": 900}]}
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
                "name": "SKILL.md", "file": "SKILL.md", "own": 900, "loads": 0, "total": 900, "share": 900, "files": [],
            }
        ],
        "worst": 900,
        "truncated": False,
    }
}  # fmt: skip
