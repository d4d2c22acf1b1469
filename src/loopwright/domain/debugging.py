"""What a debugger is asked and what it answers: plain values between DEBUG and the repair machinery."""

from pydantic import JsonValue

from loopwright.domain.loop import Hypothesis
from loopwright.domain.record import Items, Record


class DebugRequest(Record):
    """`failing` holds test keys as the runner names them; `tried` fingerprints of fixes that did not hold.

    `budget_seconds` bounds the whole answer; `round` counts DEBUG actions since the failing set last shrank
    (0 first), so that a later round can dig deeper.
    """

    project: str
    python: str
    test_command: str
    failing: Items[str]
    hypotheses: Items[Hypothesis] = ()
    tried: Items[str] = ()
    round: int = 0
    budget_seconds: float = 240


class ProbeHit(Record):
    """One line of debug.log: what a probe saw. `ts` is ISO-8601 with offset."""

    hid: str
    ts: str
    func: str
    line: int
    data: dict[str, JsonValue]


class Diagnosis(Record):
    """Ranked hypotheses (most suspicious first) with the evidence of spectrum, frames and probes."""

    active_bug: str
    hypotheses: Items[Hypothesis]
    probes: Items[ProbeHit] = ()
    note: str = ""


class Patch(Record):
    """A minimal change of one file: it was measured to turn `fixes` green and to break none of the others.

    `old_text` is the whole file the change was made against: it is applied only where that still stands.
    """

    hypothesis: str
    fingerprint: str
    file: str
    old_text: str
    new_text: str
    diff: str
    description: str
    fixes: Items[str]
    still_failing: Items[str] = ()


class Findings(Record):
    """What a search measured: verdicts on the hypotheses, the best patch if one survived, and what was tried."""

    hypotheses: Items[Hypothesis]
    patch: Patch | None = None
    rivals: Items[Patch] = ()
    tried: Items[str] = ()
    candidates: int = 0
    note: str = ""
