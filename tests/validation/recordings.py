"""Recorded output as our readers get it, and what must be true of whatever they make of it."""

from pathlib import Path

from hypothesis import strategies as st

from loopwright.evidence.recording.shims import ToolRecording
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.run import trouble_of
from loopwright.evidence.testing import TestResult
from loopwright.processes.process import ProcessResult

RECORDED = Path(__file__).parent / "recorded"
HOME = Path("/home/me")


def recording(name: str, *, exit_code: int | None, tool: str = "", output: str | None = None) -> ToolRecording:
    """A recording of this folder by its path without the suffix; `output` stands in for the one recorded."""
    said = {kind: _text(RECORDED / f"{name}.{kind}") for kind in ("out", "err")}
    return ToolRecording(
        tool=tool or name.split("-")[0],
        args=("test",),
        cwd=HOME,
        output=said["out"] if output is None else output,
        errors=said["err"],
        exit_code=exit_code,
        stem=RECORDED / "none",
    )


def statuses(reading: RunnerReport) -> dict[str, str]:
    found: dict[str, str] = {result.key: result.status for result in reading.results}
    assert len(found) == len(reading.results), "no test may hide another"
    return found


def result_of(reading: RunnerReport, key: str) -> TestResult:
    return next(result for result in reading.results if result.key == key)


def message_of(reading: RunnerReport, key: str) -> str:
    return result_of(reading, key).error_message or ""


def is_green(reading: RunnerReport, *, exit_code: int) -> bool:
    """Whether a run with this exit status of the whole command would count as complete and passing."""
    finished = ProcessResult(exit_code=exit_code, cut=None, output="", truncated=False, duration_ms=1)
    if trouble_of(reading, reading.results, finished) is not None or reading.running:
        return False
    found = {result.status for result in reading.results}
    return "passed" in found and "failed" not in found


def cuts(text: str) -> st.SearchStrategy[int]:
    """Places where a text may be cut off: anywhere, and often at the end of a line."""
    ends = [at + 1 for at, sign in enumerate(text) if sign == "\n"]
    return st.integers(0, len(text)) | st.sampled_from(ends)


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""
