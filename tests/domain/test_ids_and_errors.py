"""Ids that may touch a path, and the one table that translates every error."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core import errors
from loopwright.core.errors import (
    TRANSLATIONS,
    AgentError,
    ExitCode,
    IllegalTransition,
    Invalid,
    LoopwrightError,
    SandboxError,
    translate_error,
)
from loopwright.core.ids import check_id, is_safe_id, new_loop_id, new_task_id, next_hypothesis_id
from tests.tables import each

SAFE = ["a", "0", "loop-v2-20260122T100000-abc123", "loop-v2-20260122-abc123", "ccw-loop-1", "A_b-C", "x" * 128]
UNSAFE = [
    "", ".", "..", "a.b", "a/b", "a\\b", "/a", "../a", "-a", "_a", "a b", " a", "a ", "a\n", "\na", "a\0", "x" * 129,
    "é", "１", "a\u200b", "~", "a:b", "*", "%2e%2e", "a%2fb",
]  # fmt: skip


@pytest.mark.parametrize("id", SAFE)
def test_safe(id: str) -> None:
    assert is_safe_id(id)
    assert check_id(id) is id


@each("id", UNSAFE)
def test_unsafe(id: str) -> None:
    assert not is_safe_id(id)
    with pytest.raises(Invalid, match="Invalid loop ID format"):
        check_id(id)


@given(st.text(max_size=200))
def test_a_safe_id_names_one_file_in_one_folder(id: str) -> None:
    if is_safe_id(id):
        assert id.isascii()
        assert not set(id) & set("/\\.\0 \n")
        assert 0 < len(f"{id}.events.ndjson".encode()) <= 255


@given(st.datetimes(min_value=datetime(1000, 1, 1)), st.integers(0, 16**32 - 1))
def test_new_ids_are_safe_and_have_the_documented_form(moment: datetime, number: int) -> None:
    token = f"{number:032x}"
    zoned = moment.replace(tzinfo=timezone(timedelta(hours=8)))
    id = new_loop_id(zoned, token)
    assert is_safe_id(id)
    assert id == f"loop-v2-{zoned.strftime('%Y%m%dT%H%M%S')}-{token[:8]}"
    assert new_task_id(token) == f"task-{token[:8]}"


def test_a_loop_id_reads_as_documented() -> None:
    assert new_loop_id(datetime(2026, 1, 22, 10, 0, 5), "0123456789abcdef" * 2) == "loop-v2-20260122T100005-01234567"


@pytest.mark.parametrize(
    ("known", "following"),
    [((), "H1"), (("H1", "H2"), "H3"), (("H7", "H3"), "H8"), (("bug", "h4", "H", "H-1", "H1x", "H٣"), "H1"),
     (("H2", f"H{'9' * 5000}"), "H3")],
)  # fmt: skip
def test_the_next_hypothesis(known: tuple[str, ...], following: str) -> None:
    assert next_hypothesis_id(known) == following


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LoopwrightError)]


def built(kind: type[LoopwrightError]) -> LoopwrightError:
    if kind is IllegalTransition:
        return IllegalTransition("pause", "created", ())
    if kind is SandboxError:
        return SandboxError("bwrap", "it is broken")
    return AgentError("died", "it died") if kind is AgentError else kind("words")


DOCUMENTED_EXITS = {
    "DONE": 0, "NO_SUCCESS": 1, "USAGE": 2, "NEEDS_PERSON": 3, "NOT_FOUND": 4, "ILLEGAL": 5, "DAMAGED": 6,
    "NO_AGENT": 7, "BUDGET": 8, "UNPROVEN": 9, "INTERRUPTED": 130,
}  # fmt: skip

# error → exit code, HTTP status; the rows of the documentation
DOCUMENTED = {
    "Invalid": (2, 400), "NotFound": (4, 404), "IllegalTransition": (5, 400), "Conflict": (5, 409),
    "Forbidden": (5, 403), "StaleVersion": (5, 412), "Fenced": (5, 409),
    "StoreError": (6, 503), "Corrupt": (6, 503), "NewerSchema": (6, 503), "UncertainCommit": (6, 503),
    "NotOffered": (2, 400), "AgentError": (7, 503), "NoSandbox": (2, 400), "SandboxError": (7, 503),
    "LoopwrightError": (1, 500),
}  # fmt: skip


def test_exit_codes_are_the_documented_ones() -> None:
    assert {code.name: code.value for code in ExitCode} == DOCUMENTED_EXITS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_translates(kind: type[LoopwrightError]) -> None:
    error = built(kind)
    row = translate_error(error)
    expected = DOCUMENTED.get(kind.__name__, DOCUMENTED["LoopwrightError"])
    assert (row.exit.value, row.http) == expected
    assert row.words
    assert str(error)


def test_an_error_of_a_kind_that_comes_later_has_the_row_of_its_nearest_ancestor() -> None:
    class Torn(errors.Corrupt):
        pass

    class Strange(LoopwrightError):
        pass

    assert translate_error(Torn("t")) is TRANSLATIONS[errors.Corrupt]
    assert translate_error(Strange("s")) is TRANSLATIONS[LoopwrightError]


def test_http_never_answers_422_and_never_claims_success() -> None:
    assert {row.http for row in TRANSLATIONS.values()} <= {400, 403, 404, 409, 412, 500, 503}
    assert ExitCode.DONE not in {row.exit for row in TRANSLATIONS.values()}


def test_a_transition_that_nothing_would_allow_says_so() -> None:
    error = IllegalTransition("start", "completed", (), kind="cycle")
    assert str(error) == "Cannot start cycle with status: completed (possible now: nothing)"
