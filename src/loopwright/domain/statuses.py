"""The words for how an action or a step ended, however they are written. Pure."""

import re
from collections.abc import Mapping
from typing import Literal, TypeVar, get_args
from unicodedata import normalize

ReportStatus = Literal["success", "failed", "needs_input"]
PhaseStatus = Literal["success", "failed", "partial"]
S = TypeVar("S", ReportStatus, PhaseStatus)

ALLOWED = ", ".join(get_args(ReportStatus))
PHASE_ALLOWED = ", ".join(get_args(PhaseStatus))

_ENDS: dict[str, Literal["success", "failed"]] = {
    "success": "success", "succeeded": "success", "successful": "success", "completed": "success", "ok": "success",
    "成功": "success", "完成": "success", "已完成": "success",
    "failed": "failed", "failure": "failed", "fail": "failed", "error": "failed", "失败": "failed",
}  # fmt: skip
_WORDS: dict[str, ReportStatus] = {
    **_ENDS,
    "needs_input": "needs_input", "needs input": "needs_input", "waiting_input": "needs_input",
    "waiting input": "needs_input", "需要输入": "needs_input",
}  # fmt: skip
_PHASE_WORDS: dict[str, PhaseStatus] = {
    **_ENDS,
    "partial": "partial", "partially": "partial", "partly": "partial", "partial success": "partial",
    "partial_success": "partial", "partially completed": "partial", "部分": "partial", "部分完成": "partial",
    "部分成功": "partial",
}  # fmt: skip
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_REMARK = re.compile(r"\s+[-–—(（]|[.,;:!。，；：！（]")


def read_status(given: object) -> ReportStatus:
    """The status that is meant, also with a remark behind it; ValueError says which there are."""
    return _read(given, _WORDS, ALLOWED)


def read_phase_status(given: object) -> PhaseStatus:
    """The same for a step of a cycle."""
    return _read(given, _PHASE_WORDS, PHASE_ALLOWED)


def _read(given: object, known: Mapping[str, S], allowed: str) -> S:
    words = normalize("NFKC", str(given)).strip().lower()
    for written in (words, _REMARK.split(words)[0]):
        if status := known.get(_EDGES.sub("", written).replace("-", "_")):
            return status
    shown = " ".join(str(given).split())[:40]
    raise ValueError(f"was {shown!r}; allowed are {allowed}")
