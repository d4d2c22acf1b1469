"""vas/summary.md: what was measured, in words, and what a role says of it beside. Pure."""

import re
from collections.abc import Iterator

from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.text import clip_text, plural
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.templates import closing_lines

MARK = "<!-- judgement -->"
"""Parts what the engine measured from what the role says."""

NAMED = 20
ADDED = (
    "whether each requirement is met, by the code and not only by its test",
    "what no test shows, and whether the tests check what they say",
)
NEAR = 0.6
"""Percent by which a number may differ and still be the rounded one."""

_PERCENT = re.compile(
    r"(?P<coverage>coverage|覆盖率)\D{0,25}?(?P<a>\d{1,3}(?:\.\d+)?)\s*%"
    r"|(?P<b>\d{1,3}(?:\.\d+)?)\s*%\s*(?:\w+ ){0,2}(?P<coverage2>coverage)"
    r"|(?:pass(?:ing)? rate|通过率)\D{0,25}?(?P<c>\d{1,3}(?:\.\d+)?)\s*%"
    r"|(?P<d>\d{1,3}(?:\.\d+)?)\s*%\s*(?:of (?:the |all )?)?tests? pass",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"(?P<n>\d{1,7})\s+(?:of \d+ |out of \d+ )?(?:unit )?tests?\s+(?:have |has |are |is )?(?P<how>pass|fail)"
    r"|(?P<m>\d{1,7})\s+(?:tests? )?(?P<how2>passed|failed)\b",
    re.IGNORECASE,
)
_ALL_GREEN = re.compile(
    r"\ball (?:the |of the |\d+ )?tests? (?:now )?(?:pass|are green)|\bno tests? fail(?:s|ed)?\b"
    r"|测试全部通过|全部测试通过",
    re.IGNORECASE,
)
_OTHER_TIME = re.compile(
    r"\b(?:from|before|was|were|had|least|threshold|required|minimum|target)\b|之前|至少", re.IGNORECASE
)
"""Words of a sentence that may speak of other numbers than the last ones."""
_SENTENCES = re.compile(r"(?<=[.;!?。；])\s+|\n")


def measured_lines(validated: ValidationOutcome) -> tuple[str, ...]:
    """The numbers of a validation, a sentence each."""
    if not validated.tests_found:
        return ("no tests were found; nothing shows whether it works",)
    tally = validated.counts
    lines = [f"{tally.passed} of {tally.ran:,} tests pass ({_rate(validated):g} %)"]
    if tally.skipped:
        lines.append(f"{plural(tally.skipped, 'test')} skipped")
    lines.append(f"coverage {validated.coverage:g} %" if validated.coverage else "coverage is not known")
    lines.append(
        "the validation passed" if validated.passed else f"the validation failed: {'; '.join(_reasons(validated))}"
    )
    if validated.measured:
        lines.append(f"as measured {validated.measured}; nothing has changed since")
    return tuple(lines)


def list_mended(state: CycleState, validated: ValidationOutcome) -> tuple[str, ...]:
    """Tests that pass now, and failed in the validation before; at first, in the baseline."""
    baseline = state.engine.baseline
    if state.test_results is not None:
        before = set(state.test_results.failed_tests)
    else:
        before = {key for key, test in baseline.tests.items() if test.status == "failed"} if baseline else set()
    return tuple(result.key for result in validated.results if result.status == "passed" and result.key in before)


def verdict_summary(state: CycleState, validated: ValidationOutcome, *, judged: bool = False) -> str:
    """The measured part of vas/summary.md; `judged`: a role's own words follow it."""
    lines = [f"# Validation of iteration {max(state.current_iteration, 1)}", ""]
    lines += [f"- {line} (test-results.json)" for line in measured_lines(validated)]
    failing, mended = validated.failing, list_mended(state, validated)
    if mended:
        lines += [
            "",
            "## Tests that failed before and pass now",
            "",
            *(f"- {name} (test-results.json)" for name in mended[:NAMED]),
        ]
        lines += [f"- and {len(mended) - NAMED} more"] if len(mended) > NAMED else []
    if failing:
        shown = [f"- {name}" for name in failing[:NAMED]]
        lines += ["", "## Failing tests", "", *shown]
        lines += [f"- and {len(failing) - NAMED} more (failures.json)"] if len(failing) > NAMED else []
    lacking = {name: percent for name, percent in (validated.coverage_files or {}).items() if percent < 100}
    if lacking:
        worst = sorted(lacking.items(), key=lambda item: (item[1], item[0]))[:NAMED]
        lines += ["", "## Coverage, the least covered files first", "", *(f"- {n}: {p:g} %" for n, p in worst)]
    if not judged:
        lines += ["", *closing_lines(ADDED)]
    return "\n".join(lines) + "\n"


def join_summary(measured: str, judgement: str) -> str:
    """Both parts of the document."""
    return f"{measured.rstrip()}\n\n{MARK}\n\n{judgement.strip()}\n"


def judgement_in(text: str) -> str:
    """The role's own part; the whole where the engine has put nothing before it."""
    return text.rpartition(MARK)[2].strip()


def contradictions(said: str, validated: ValidationOutcome) -> tuple[str, ...]:
    """Numbers in a role's words that are not what was measured."""
    found: dict[str, None] = {}
    for sentence in _SENTENCES.split(said):
        if _OTHER_TIME.search(sentence) is None:
            found |= dict.fromkeys((*_wrong_percents(sentence, validated), *_wrong_counts(sentence, validated)))
    if validated.failing and (claim := _ALL_GREEN.search(said)):
        found[f"said “{_quoted(claim[0])}”; {plural(len(validated.failing), 'test')} failed"] = None
    return tuple(found)


def _wrong_percents(sentence: str, validated: ValidationOutcome) -> Iterator[str]:
    for match in _PERCENT.finditer(sentence):
        is_coverage = bool(match["coverage"] or match["coverage2"])
        value = float(next(match[name] for name in "abcd" if match[name]))
        measured = validated.coverage if is_coverage else _rate(validated)
        if abs(value - measured) > NEAR:
            yield f"said “{_quoted(match[0])}”; measured was {measured:g} %"


def _wrong_counts(sentence: str, validated: ValidationOutcome) -> Iterator[str]:
    """More tests that pass than there are, or others that fail."""
    green = sum(result.status == "passed" for result in validated.results)
    for match in _COUNT.finditer(sentence):
        value, how = int(match["n"] or match["m"]), (match["how"] or match["how2"]).lower()
        if how.startswith("pass") and value > green:
            yield f"said “{_quoted(match[0])}”; measured were {green}"
        elif how.startswith("fail") and value < len(validated.failing):
            yield f"said “{_quoted(match[0])}”; measured were {len(validated.failing)}"


def _rate(validated: ValidationOutcome) -> float:
    return validated.counts.pass_rate or 0.0


def _reasons(validated: ValidationOutcome) -> tuple[str, ...]:
    return validated.reasons or ("the tests do not pass",)


def _quoted(words: str) -> str:
    return clip_text(" ".join(words.split()), 100)
