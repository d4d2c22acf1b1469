"""What a debugger is asked and what it answers: plain values between DEBUG and the repair machinery."""

from pydantic import JsonValue

from loopwright.domain.engine_state import Policy
from loopwright.domain.loop import Hypothesis
from loopwright.domain.loop_rivals import is_refuted
from loopwright.domain.record import Items, Record
from loopwright.domain.rivals import AppliedPatch, Comparison

TRIALS = 600
"""Edits that weigh hypotheses for whoever makes none by himself: some seconds."""


class DebugRequest(Record):
    """`failing` holds test keys as the runner names them; `tried` fingerprints of fixes that did not hold.

    `budget_seconds` bounds the whole answer; `round` counts DEBUG actions since the failing set last shrank
    (0 first), so that a later round can dig deeper. `trials`: edits that a diagnosis may try, to rank its
    hypotheses by what they turn; none for who searches next. `loop`: the id of the run that it is for, and `log` the
    absolute path of its debug.log; both empty where it is for none.
    """

    project: str
    python: str
    test_command: str
    failing: Items[str]
    hypotheses: Items[Hypothesis] = ()
    tried: Items[str] = ()
    round: int = 0
    trials: int = 0
    budget_seconds: float = 240
    loop: str = ""
    log: str = ""

    @property
    def lean(self) -> "DebugRequest":
        """Of the evidence only what says where a hypothesis belongs: for who measures by himself."""
        return self.evolve(hypotheses=tuple(one.evolve(evidence=_place(one)) for one in self.hypotheses))


def _place(hypothesis: Hypothesis) -> dict[str, JsonValue] | None:
    evidence = hypothesis.evidence
    return evidence and {name: evidence[name] for name in ("file", "func", "code") if name in evidence}


class ProbeHit(Record):
    """One line of debug.log: what a probe saw. `ts` is ISO-8601 with offset."""

    hid: str
    ts: str
    func: str
    line: int
    data: dict[str, JsonValue]


def tried(hypotheses: Items[Hypothesis]) -> tuple[str, ...]:
    """Fingerprints of the fixes that validation did not bear out: they are never tried again."""
    judged = (one.evidence or {} for one in hypotheses if one.status == "rejected" or is_refuted(one))
    return tuple(str(evidence["fingerprint"]) for evidence in judged if "fingerprint" in evidence)


class DebugGround(Record):
    """What the debugger works on for an agent in its turn. `policy`: what that agent may do."""

    request: DebugRequest
    policy: Policy


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
    """What a search measured: verdicts on the hypotheses, the best patch if one survived, and what was tried.

    `comparison` of the patch with the other survivors; `rivals` are those that it names, in the same order.
    """

    hypotheses: Items[Hypothesis]
    patch: Patch | None = None
    rivals: Items[Patch] = ()
    comparison: Comparison | None = None
    tried: Items[str] = ()
    candidates: int = 0
    note: str = ""


def applied(patch: Patch, comparison: Comparison, place: str = "", task: str | None = None) -> AppliedPatch:
    """What is kept of a patch once it is in the project."""
    return AppliedPatch(
        place=place or patch.file, description=patch.description, fingerprint=patch.fingerprint, file=patch.file,
        diff=patch.diff, comparison=comparison, task=task,
    )  # fmt: skip
