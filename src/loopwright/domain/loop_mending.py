"""Mending a parsed loop: its defaults, and how it reads to have ended. Pure."""

from functools import partial

from loopwright.domain.loop import TITLE_LENGTH, LoopState
from loopwright.domain.loop_commands import STOPPED_BY_USER
from loopwright.domain.mending import Json, finish_end, part
from loopwright.domain.mending import validated as mended


def validated(document: Json, now: str, repairs: list[str]) -> LoopState:
    """The loop in a document, which is changed; see mending.validated. Invalid."""
    return mended(
        LoopState,
        document,
        repairs,
        finish=lambda document, repairs: finish_end(document, repairs, "loop", now, _outcome),
        missing=partial(_missing, document=document, now=now),
    )


def _outcome(document: Json) -> str:
    if document.get("status") == "failed":
        return "stopped" if document.get("failure_reason") == STOPPED_BY_USER else "failed"
    validate = part(part(document, "skill_state"), "validate")
    return "succeeded" if validate.get("passed") and validate.get("test_results") else "unverified"


def _missing(key: str, place: Json, document: Json, now: str) -> object:
    description = str(document.get("description") or "")
    words = {
        "title": (description.strip() or str(document.get("loop_id")))[:TITLE_LENGTH],
        "description": str(place.get("title") or place.get("task_id") or place.get("id") or ""),
        "created_at": document.get("created_at") or document.get("updated_at") or now,
        "updated_at": document.get("updated_at") or document.get("created_at") or now,
        "timestamp": now,
        "testable_condition": "",
        "logging_point": "",
        "evidence_criteria": {"confirm": "", "reject": ""},
        "confirm": "",
        "reject": "",
        "likelihood": 1,
        "action": "",
        "message": "",
    }
    return words.get(key)
