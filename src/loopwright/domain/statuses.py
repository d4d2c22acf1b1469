"""The three words for how an action ended, however they are written. Pure."""

import re
from typing import Literal, get_args
from unicodedata import normalize

ReportStatus = Literal["success", "failed", "needs_input"]

ALLOWED = ", ".join(get_args(ReportStatus))

_WORDS: dict[str, ReportStatus] = {
    "success": "success", "succeeded": "success", "successful": "success", "completed": "success", "ok": "success",
    "成功": "success", "完成": "success", "已完成": "success",
    "failed": "failed", "failure": "failed", "fail": "failed", "error": "failed", "失败": "failed",
    "needs_input": "needs_input", "needs input": "needs_input", "waiting_input": "needs_input",
    "waiting input": "needs_input", "需要输入": "needs_input",
}  # fmt: skip
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_REMARK = re.compile(r"\s+[-–—(（]|[.,;:!。，；：！（]")


def read_status(given: object) -> ReportStatus:
    """The status that is meant, also with a remark behind it; ValueError says which there are."""
    words = normalize("NFKC", str(given)).strip().lower()
    for written in (words, _REMARK.split(words)[0]):
        if status := _WORDS.get(_EDGES.sub("", written).replace("-", "_")):
            return status
    shown = " ".join(str(given).split())[:40]
    raise ValueError(f"was {shown!r}; allowed are {ALLOWED}")
