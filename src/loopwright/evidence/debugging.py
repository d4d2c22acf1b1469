"""What a debugger is asked and what it answers: plain values between DEBUG and the repair machinery."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from loopwright.core.errors import Invalid
from loopwright.core.ids import next_hypothesis_id
from loopwright.core.record import Items, Record
from loopwright.core.state import Policy
from loopwright.core.text import clean_line, clip_text, drop_surrogates
from loopwright.evidence.failures import quote_diff
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.rivals import AppliedPatch, Comparison, is_refuted

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


def list_tried_fixes(hypotheses: Items[Hypothesis]) -> tuple[str, ...]:
    """Fingerprints of the fixes that validation did not bear out: they are never tried again."""
    judged = (one.evidence or {} for one in hypotheses if one.status == "rejected" or is_refuted(one))
    return tuple(str(evidence["fingerprint"]) for evidence in judged if "fingerprint" in evidence)


class DebugContext(Record):
    """What the debugger works on for an agent in its turn. `policy`: what that agent may do."""

    request: DebugRequest
    policy: Policy


class TrialEdit(Record):
    """A small edit under which every failing test passed on a copy, and none that runs the same code failed."""

    description: str
    diff: str


class Diagnosis(Record):
    """Ranked hypotheses (most suspicious first) with the evidence of spectrum, frames and probes.

    `mends`: edits of the trials; several may fit by accident, and none was proven in a fresh process. `measured`: ids
    of the hypotheses that it found, among those that were known before.
    """

    active_bug: str
    hypotheses: Items[Hypothesis]
    probes: Items[ProbeHit] = ()
    mends: Items[TrialEdit] = ()
    measured: Items[str] = ()
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


class SearchFindings(Record):
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


def record_patch(patch: Patch, comparison: Comparison, place: str = "", task: str | None = None) -> AppliedPatch:
    """What is kept of a patch once it is in the project."""
    return AppliedPatch(
        place=place or patch.file,
        description=patch.description,
        fingerprint=patch.fingerprint,
        file=patch.file,
        diff=patch.diff,
        comparison=comparison,
        task=task,
    )


LOOSE = "probe"
"""Stands in debug.log for the id of a hypothesis where a probe belongs to none."""

MOST_DIFF, MOST_NAMED, MOST_CALL = 20_000, 30, 1_000
"""Characters of a patch's diff, tests that it names, and characters of a call that tells it from another."""

_PLACE = re.compile(r"(?P<file>.+?\.\w+):(?:(?P<func>[^:]+):)?(?P<line>[0-9]{1,7})\s*")

Status = Literal["passed", "failed", "skipped"]


class CodePosition(NamedTuple):
    """A line of a file of the project, relative to its root. `func`: what it was said to lie in."""

    file: str
    func: str | None
    line: int


class ProbeOrder(Record):
    """`expressions`: none stands for all local variables. `hits`: how many of them are shown of each test."""

    file: str
    func: str | None
    line: int
    expressions: Items[str] = ()
    hits: int = 5


class RerunResult(Record):
    """One test, run again. `place`: the last project line its error came from, as file:line in function."""

    test: str
    status: Status
    error: str
    message: str
    place: str


class RerunResults(Record):
    """`tests` are the requested ones, or by default those that fail. The counts are of all that ran."""

    tests: Items[RerunResult]
    passed: int
    failed: int
    skipped: int
    note: str


class RankedStatement(Record):
    """A suspicious statement, and how many tests ran it. `score` from 0 to 1; `raised`: exceptions raised there."""

    rank: int
    file: str
    line: int
    func: str
    code: str
    failing: int
    passing: int
    score: float
    raised: Items[str]


class Spectrum(Record):
    """The most suspicious of the `total` statements that a failing test ran."""

    statements: Items[RankedStatement]
    total: int
    failing_tests: int
    passing_tests: int
    note: str


class ProbedTest(RerunResult):
    """`reached`: how often the test reached the line; `hits` are the first of these times."""

    reached: int
    hits: Items[ProbeHit]


class ProbeResult(Record):
    """The values each time just before the line ran."""

    place: str
    code: str
    tests: Items[ProbedTest]
    note: str


class PatchProposal(Record):
    """`diff` as git and patch take it; `cut` if it was too long. The tests it fixes, and those that still fail.

    `differs`: for a rival, a call that tells it from the patch, if one is known.
    """

    file: str
    description: str
    diff: str
    cut: bool
    fixes: Items[str]
    still_failing: Items[str]
    differs: str


class FixProposal(Record):
    """What the search found; it is never applied. `rivals` are as good as the patch, as far as tests can tell."""

    patch: PatchProposal | None
    rivals: Items[PatchProposal]
    candidates: int
    applied: Literal[False]
    words: str
    note: str


DebugAnswer = RerunResults | Spectrum | ProbeResult | FixProposal


def parse_position(told: str, root: str) -> CodePosition:
    """`file:line` or `file:function:line`; the file relative to the project, or absolute within it. Invalid."""
    found = _PLACE.fullmatch(told.strip())
    if found is None:
        raise Invalid(f"place: {clip_text(told, 200)!r} is not valid (expected file:line or file:function:line)")
    file = posixpath.normpath(posixpath.join(root, found["file"]))
    if not file.startswith(f"{root.rstrip('/')}/"):
        raise Invalid(f"place: {found['file']} is not in the project {root}")
    return CodePosition(file[len(root.rstrip("/")) + 1 :], found["func"], int(found["line"]))


def find_owner(hypotheses: Sequence[Hypothesis], file: str, line: int) -> str:
    """The id of the hypothesis that is about that line."""
    for one in hypotheses:
        head, _, tail = one.logging_point.rpartition(":")
        if tail == str(line) and head.partition(":")[0] == file:
            return one.id
    return LOOSE


def build_patch_proposal(patch: Patch, differs: str = "") -> PatchProposal:
    diff = drop_surrogates(patch.diff)
    return PatchProposal(
        file=patch.file,
        description=patch.description,
        diff=diff[:MOST_DIFF],
        cut=len(diff) > MOST_DIFF,
        fixes=patch.fixes[:MOST_NAMED],
        still_failing=patch.still_failing[:MOST_NAMED],
        differs=clip_text(drop_surrogates(differs), MOST_CALL),
    )


LEADING, OTHERS = 5, 6
"""Hypotheses that a message shows with their evidence, and further ones that it names; the files hold all."""
MOST = 40
"""Hypotheses that are kept through measuring again: what agents propose shall find room, too."""
CODE, SEEN = 90, 110
"""Characters of a line of code, and of what was seen there."""

_HEAD = (
    "Ranked by suspicion, most likely first. These are leads, not verdicts.\n",
    "| rank | place | line | failing, passing tests that ran it | evidence |",
    "|---|---|---|---|---|",
)


def anchor(hypothesis: Hypothesis) -> tuple[str, str, str] | None:
    """File, function and text of the place: what stays when lines move. None when it was not measured by us."""
    evidence = hypothesis.evidence or {}
    parts = evidence.get("file"), evidence.get("func"), evidence.get("code")
    return (str(parts[0]), str(parts[1]), str(parts[2])) if all(parts) else None


def render_hypotheses(hypotheses: Sequence[Hypothesis], measured: Collection[str] | None = None) -> str:
    """The leading ones that are open, as a table; below it the others, judged ones with why.

    `measured`: ids of those that hold for the files as they are now; None: all. What was measured on other files, and
    not again, is left out, unless it was judged.
    """
    measured = {one.id for one in hypotheses if anchor(one)} if measured is None else measured
    open_ones = sorted(
        (one for one in hypotheses if one.status in ("pending", "confirmed") and one.id in measured),
        key=lambda one: one.likelihood,
    )
    leading = open_ones[:LEADING]
    lines = [*_HEAD, *(_row(n, one) for n, one in enumerate(leading, start=1))] if leading else []
    others = [
        one
        for one in hypotheses
        if one not in leading and (one.status != "pending" or one.id in measured or anchor(one) is None)
    ]
    others.sort(key=lambda one: (one.status == "pending", one.likelihood))  # what is judged shall not be tried again
    more = [f"- {one.id} ({one.status}) {one.logging_point}: {_words(one)}" for one in others[:OTHERS]]
    return "\n".join([*lines, *([""] if lines and more else []), *more]) or "- none yet"


def describe_mends(mends: Sequence[TrialEdit]) -> str:
    """The edits with their diffs; empty where there is none."""
    if not mends:
        return ""
    edits = "\n".join(f"{one.description}\n{quote_diff(one.diff)}" for one in mends)
    return f"Edits that made these tests pass on a copy, perhaps by coincidence; they are not in your files:\n{edits}"


def merge_diagnoses(known: Sequence[Hypothesis], fresh: Diagnosis) -> Diagnosis:
    """What is known and what a fresh diagnosis has found, as one list: the newest evidence, and every id as it was.

    What was measured before and is not found any more comes last, and the oldest of it goes where there are too many.
    Hits carry the ids of this list.
    """
    by_anchor = {anchor(one): one for one in known if anchor(one) is not None}
    ids: dict[str, str] = {}
    taken: list[Hypothesis] = []
    for one in fresh.hypotheses:
        before = by_anchor.pop(anchor(one), None) if anchor(one) is not None else None
        if before is None:
            id = next_hypothesis_id(tuple(h.id for h in (*known, *taken)))
            taken.append(one.evolve(id=id))
        elif before.status == "pending":
            taken.append(one.evolve(id=before.id))
        ids[one.id] = before.id if before else taken[-1].id
    newest = {one.id: one for one in taken}
    gone = {one.id for one in by_anchor.values() if one.status == "pending"}
    last = float(len(known) + len(taken) + 1)
    left = [one.id for one in known if one.id in gone][: max(len(known) + len(newest) - MOST, 0)]
    kept = [
        newest.pop(one.id, one.evolve(likelihood=last) if one.id in gone else one)
        for one in known
        if one.id not in left
    ]
    return fresh.evolve(
        hypotheses=(*kept, *newest.values()),
        measured=tuple(ids.values()),
        probes=tuple(hit.evolve(hid=ids.get(hit.hid, hit.hid)) for hit in fresh.probes),
    )


def _row(rank: int, one: Hypothesis) -> str:
    evidence: Mapping[str, JsonValue] = one.evidence or {}
    name = f"{one.id}: {evidence['file']}:{evidence.get('line')} in {evidence['func']}"
    counts = f"{evidence.get('failing_tests', '?')}, {evidence.get('passing_tests', '?')}"
    # what edits showed there, whether it is new, exceptions that came from there, and what variables held
    parts = [str(evidence["says"])] if "says" in evidence else []
    if turned := evidence.get("candidates_that_turned_a_test"):
        parts.append(f"{turned} of {evidence.get('candidates_tried')} small edits made a failing test pass")
    if evidence.get("changed_since_last_commit"):
        parts.append("changed since the last commit")
    parts += [f"{raised} came from it" for raised in _list(evidence.get("exceptions"))]
    for values in _list(evidence.get("probe_values"))[:1]:
        if isinstance(values, dict):
            parts += [f"{name}={value}" for name, value in values.items() if name.isidentifier()]
    seen = clip_text(clean_line(", ".join(parts)), SEEN) or "nothing"
    cells = (str(rank), name, f"`{clip_text(clean_line(str(evidence['code'])), CODE)}`", counts, seen)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _words(one: Hypothesis) -> str:
    return f"{one.description} ({one.verdict_reason})" if one.verdict_reason else one.description
