"""Ranked hypotheses with their evidence, as a person reads them. Pure, but for the source lines that it shows."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from loopwright.cli.layout import Look, labelled, source, wrapped
from loopwright.cli.text import short
from loopwright.domain.debugging import DebugRequest, Diagnosis
from loopwright.domain.loop import Hypothesis
from loopwright.domain.words import plural

INDENT = 8
SEEN = 3
"""Times that a line was reached of which the values are shown."""
VALUES_CELLS = 400


def diagnosis_page(diagnosis: Diagnosis, request: DebugRequest, root: Path, at: str, look: Look) -> str:
    """`root` of the project; `at`: what a suggested command adds when that is not the current folder."""
    if not diagnosis.hypotheses:
        return "\n".join(wrapped(diagnosis.note or "nothing was found to look into", look.cells))
    lines = [look.paint("strong", line) for line in wrapped(diagnosis.active_bug, look.cells)]
    for number, hypothesis in enumerate(diagnosis.hypotheses, start=1):
        lines += ["", *_hypothesis(number, hypothesis, root, look)]
    if diagnosis.note:
        lines += ["", *wrapped(diagnosis.note, look.cells)]
    if all("says" not in (one.evidence or {}) for one in diagnosis.hypotheses):
        lines += ["", f'next: loopwright run "Make the tests pass" --agent builtin --auto{at}']
    return "\n".join(lines)


def _hypothesis(number: int, hypothesis: Hypothesis, root: Path, look: Look) -> Iterator[str]:
    evidence: Mapping[str, JsonValue] = hypothesis.evidence or {}
    file, line, func = (evidence.get(name) for name in ("file", "line", "func"))
    yield f"{look.paint('high', f'{number:>2}')}  {look.paint('strong', f'{file}:{line}')} in {func}"
    if isinstance(line, int):
        yield from source(line, _line_of(root / str(file), line), (0, 0), "high", look)[:1]
    yield from labelled("   why", _why(evidence), look, INDENT)
    for n, values in enumerate(_seen(evidence)):
        yield from labelled("   seen" if n == 0 else "", short(values, VALUES_CELLS), look, INDENT)


def _why(evidence: Mapping[str, JsonValue]) -> str:
    if "says" in evidence:
        return f"Python can not load it: {evidence['says']}"
    raised = evidence.get("exceptions")
    came = f"; {' and '.join(map(str, raised))} came from it" if isinstance(raised, list) and raised else ""
    ran = f"{_tests(evidence, 'failing')} and {_tests(evidence, 'passing')} ran it"
    turned, tried = evidence.get("candidates_that_turned_a_test"), evidence.get("candidates_tried")
    helped = f"; {turned} of {tried} small edits here turned a failing test" if turned else ""
    changed = "; changed since the last commit" if evidence.get("changed_since_last_commit") else ""
    return f"{ran}{came}{changed}{helped}; suspiciousness {evidence.get('suspiciousness')} of 1"


def _tests(evidence: Mapping[str, JsonValue], kind: str) -> str:
    count = evidence.get(f"{kind}_tests")
    return plural(count if isinstance(count, int) else 0, f"{kind} test")


def _seen(evidence: Mapping[str, JsonValue]) -> list[str]:
    """What the variables held, a line for each time that was different."""
    found = evidence.get("probe_values")
    times = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    told = (", ".join(f"{name}={value}" for name, value in one.items() if name.isidentifier()) for one in times)
    return list(dict.fromkeys(filter(None, told)))[:SEEN]


def _line_of(path: Path, line: int) -> str:
    """Nothing where the file has changed or gone since it was measured."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[line - 1].strip()
    except (OSError, IndexError):
        return ""
