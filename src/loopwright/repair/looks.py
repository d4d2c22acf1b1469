"""What the worker saw when somebody looked around, as the domain's answers."""

from collections.abc import Sequence

from loopwright.domain.debugging import DebugRequest
from loopwright.domain.looking import Probed, ProbeOrder, RanTest, RanTests, Spectrum, Statement, Watched, owner
from loopwright.repair.answers import Plain

MOST_TESTS, MOST_HITS = 50, 100
"""How many are told of: whoever asked reads all of it."""


def ran_tests(answer: Plain) -> RanTests:
    told = answer.get("tests", ())
    return RanTests(
        tests=tuple(RanTest.model_validate(test) for test in told[:MOST_TESTS]), note=_note(answer, len(told)),
        **{name: answer.get("counts", {}).get(name, 0) for name in ("passed", "failed", "skipped")},
    )  # fmt: skip


def spectrum(answer: Plain, asked: Sequence[str]) -> Spectrum:
    failing, collected = answer.get("failing_tests", 0), answer.get("collected", 0)
    which = "none of the tests that failed before fails" if asked else "no test fails"
    none = [] if failing else [f"{which} on the copy of the project ({collected:,} collected)"]
    return Spectrum(
        statements=tuple(Statement.model_validate(one) for one in answer.get("statements", ())),
        total=answer.get("total", 0), failing_tests=failing, passing_tests=answer.get("passing_tests", 0),
        note="; ".join([*none, *answer.get("notes", ())]),
    )  # fmt: skip


def probed(answer: Plain, request: DebugRequest, order: ProbeOrder) -> Probed:
    told = answer.get("tests", ())
    hid = owner(request.hypotheses, order.file, order.line)
    left = MOST_HITS
    tests: list[Watched] = []
    for test in told[:MOST_TESTS]:
        hits = [{**hit, "hid": hid} for hit in test["hits"][:left]]
        left -= len(hits)
        tests.append(Watched.model_validate({**test, "hits": hits}))
    return Probed(
        place=answer.get("place", f"{order.file}:{order.line}"), code=answer.get("code", ""), tests=tuple(tests),
        note=_note(answer, len(told), _unreached(tests)),
    )  # fmt: skip


def _unreached(tests: Sequence[Watched]) -> str:
    if tests and not any(test.reached for test in tests):
        return "none of these tests came to that line"
    return ""


def _note(answer: Plain, count: int, *more: str) -> str:
    passed = answer.get("counts", {}).get("passed", 0)
    none = [f"no test fails on the copy of the project ({passed:,} passed)"] if not count else []
    many = [f"{count - MOST_TESTS:,} more tests are not shown; name those to look at"] if count > MOST_TESTS else []
    return "; ".join([*none, *many, *filter(None, more), *answer.get("notes", ())])
