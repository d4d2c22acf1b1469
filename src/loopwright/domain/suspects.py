"""Measured hypotheses: told to an agent as a short table, and kept up to date when they are measured again. Pure."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from loopwright.domain.debugging import Diagnosis
from loopwright.domain.ids import next_hypothesis_id
from loopwright.domain.loop import Hypothesis
from loopwright.domain.words import clean, clipped

LEADING, OTHERS = 5, 6
"""Hypotheses that a message shows with their evidence, and further ones that it names; the files hold all."""
MOST = 40
"""Hypotheses that are kept through measuring again: what agents propose shall find room, too."""
CODE, SEEN = 90, 110
"""Characters of a line of code, and of what was seen there."""

_HEAD = ("| rank | place | line | ran it: failing, passing | seen there |", "|---|---|---|---|---|")


def anchor(hypothesis: Hypothesis) -> tuple[str, str, str] | None:
    """File, function and text of the place: what stays when lines move. None when it was not measured by us."""
    evidence = hypothesis.evidence or {}
    parts = evidence.get("file"), evidence.get("func"), evidence.get("code")
    return (str(parts[0]), str(parts[1]), str(parts[2])) if all(parts) else None


def told(hypotheses: Sequence[Hypothesis]) -> str:
    """The leading ones that were measured and are open, as a table; below it the others, judged ones with why."""
    open_ones = sorted(
        (one for one in hypotheses if one.status in ("pending", "confirmed") and anchor(one) is not None),
        key=lambda one: one.likelihood,
    )
    leading = open_ones[:LEADING]
    lines = [*_HEAD, *(_row(n, one) for n, one in enumerate(leading, start=1))] if leading else []
    others = [one for one in hypotheses if one not in leading]
    others.sort(key=lambda one: (one.status == "pending", one.likelihood))  # what is judged shall not be tried again
    more = [f"- {one.id} ({one.status}) {one.logging_point}: {_words(one)}" for one in others[:OTHERS]]
    return "\n".join([*lines, *([""] if lines and more else []), *more]) or "- none yet"


def again(known: Sequence[Hypothesis], fresh: Diagnosis) -> Diagnosis:
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
        for one in known if one.id not in left
    ]  # fmt: skip
    return fresh.evolve(
        hypotheses=(*kept, *newest.values()),
        probes=tuple(hit.evolve(hid=ids.get(hit.hid, hit.hid)) for hit in fresh.probes),
    )


def _row(rank: int, one: Hypothesis) -> str:
    evidence: Mapping[str, JsonValue] = one.evidence or {}
    name = f"{one.id}: {evidence['file']}:{evidence.get('line')} in {evidence['func']}"
    counts = f"{evidence.get('failing_tests', '?')}, {evidence.get('passing_tests', '?')}"
    cells = (str(rank), name, f"`{clipped(clean(str(evidence['code'])), CODE)}`", counts, _seen(evidence))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _seen(evidence: Mapping[str, JsonValue]) -> str:
    """What edits showed there, whether it is new, exceptions that came from there, and what variables held."""
    parts = [str(evidence["says"])] if "says" in evidence else []
    if turned := evidence.get("candidates_that_turned_a_test"):
        parts.append(f"{turned} of {evidence.get('candidates_tried')} small edits turned a failing test")
    if evidence.get("changed_since_last_commit"):
        parts.append("changed since the last commit")
    parts += [f"{raised} came from it" for raised in _list(evidence.get("exceptions"))]
    for values in _list(evidence.get("probe_values"))[:1]:
        if isinstance(values, dict):
            parts += [f"{name}={value}" for name, value in values.items() if name.isidentifier()]
    return clipped(clean(", ".join(parts)), SEEN) or "nothing"


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _words(one: Hypothesis) -> str:
    return f"{one.description} ({one.verdict_reason})" if one.verdict_reason else one.description
