"""Several attempts at one goal: the pure rules about which runs, which wins, and what all have spent."""

import itertools
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import ExitCode
from loopwright.core.protocol import Usage
from loopwright.core.run import NOT_BEGUN, SUPERSEDED
from loopwright.core.spending import BudgetMeter, add_spent, most_spent
from loopwright.core.state import Budget, EngineState, Family, FamilyMember, Outcome
from loopwright.workflows.loop.family import (
    AttemptResult,
    FamilyMoves,
    choose_attempt,
    exit_for_family,
    find_superseded,
    plan_moves,
)
from tests.domain.loop_making import loop


def attempt(number: int, outcome: str | None = "succeeded", **more: object) -> AttemptResult:
    status = "running" if outcome is None else "completed" if outcome.startswith(("s", "un")) else "failed"
    values = {"number": number, "id": f"a{number}", "agent": "codex", "status": status, "outcome": outcome, **more}
    return AttemptResult(**values)  # type: ignore[arg-type]


CHOICES = (
    (
        "none proven",
        [attempt(1, "unproven"), attempt(2, "unverified"), attempt(3, "failed"), attempt(4, "stopped")],
        None,
    ),
    ("a proven one, however large", [attempt(1, "unproven", lines=1), attempt(2, lines=900, score=1)], 2),
    ("an unproven one with every mutant killed", [attempt(1, "unproven", score=100), attempt(2, score=10)], 2),
    ("the higher score before the smaller diff", [attempt(1, lines=1, score=80), attempt(2, lines=90, score=81)], 2),
    ("a known score of nothing before an unknown one", [attempt(1, lines=1), attempt(2, lines=90, score=0)], 2),
    ("the smaller diff at the same score", [attempt(1, lines=9, score=80), attempt(2, lines=8, score=80)], 2),
    ("the smaller diff without scores", [attempt(1, lines=9), attempt(2, lines=8)], 2),
    ("the first of equals", [attempt(2, lines=8), attempt(1, lines=8)], 1),
    ("one that still runs", [attempt(1, None), attempt(2, "failed")], None),
)


def test_the_choice() -> None:
    for words, found, wanted in CHOICES:
        for order in itertools.permutations(found):
            best = choose_attempt(order)
            assert (best.number if best else None) == wanted, words


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (("unproven", "failed"), ExitCode.UNPROVEN),
        (("failed", "over_budget"), ExitCode.BUDGET),
        (("stopped", "failed"), ExitCode.NO_SUCCESS),
        (("unproven", None), ExitCode.NEEDS_PERSON),
    ],
)
def test_the_exit_code_is_that_of_the_best_outcome(outcomes: tuple[str | None, ...], code: ExitCode) -> None:
    assert exit_for_family([attempt(n, outcome) for n, outcome in enumerate(outcomes, 1)]) == code


def family(size: int, parallel: int = 2, *, run_all: bool = False) -> Family:
    members = tuple(FamilyMember(id=f"a{n}", agent="codex") for n in range(1, size + 1))
    return Family(members=members, parallel=parallel, run_all=run_all)


def fresh(number: int) -> AttemptResult:
    return attempt(number, None, status="created")


RUNS, PAUSED = {"is_busy": True}, {"status": "paused"}
MOVES: tuple[tuple[str, Family, list[AttemptResult], dict[str, Any], FamilyMoves], ...] = (
    ("as many as may run", family(3), [fresh(1), fresh(2), fresh(3)], {}, FamilyMoves(start=("a1", "a2"))),
    ("the next in its place", family(3), [attempt(1, "failed"), attempt(2, None, **RUNS), fresh(3)], {},
     FamilyMoves(start=("a3",))),
    ("one is proven", family(3), [attempt(1), attempt(2, None, **RUNS), fresh(3)], {},
     FamilyMoves(stop={"a2": SUPERSEDED, "a3": SUPERSEDED})),
    ("one is proven, and all shall end", family(3, run_all=True), [attempt(1), attempt(2, None, **RUNS), fresh(3)], {},
     FamilyMoves(start=("a3",))),
    ("a runner has died", family(2), [attempt(1, None), attempt(2, None, **RUNS)], {"resumable": ("a1",)},
     FamilyMoves(resume=("a1",))),
    ("a pause that a person has to end", family(2), [attempt(1, None, **PAUSED), attempt(2, "failed")], {},
     FamilyMoves()),
    ("nothing is left to spend", family(3), [attempt(1, "over_budget"), attempt(2, None, **RUNS), fresh(3)],
     {"is_used_up": True}, FamilyMoves(stop={"a3": NOT_BEGUN})),
    ("all have ended", family(2), [attempt(1), attempt(2, "stopped")], {}, FamilyMoves()),
)  # fmt: skip


def test_the_moves() -> None:
    for words, of, found, more, wanted in MOVES:
        assert plan_moves(of, found, **more) == wanted, words


@pytest.mark.parametrize(
    ("of", "outcome", "ids"),
    [
        (family(3), "succeeded", ("a1", "a3")),
        (family(3), "unproven", ()),
        (family(3), None, ()),
        (family(3, run_all=True), "succeeded", ()),
        (family(3).evolve(winner="a2"), "succeeded", ()),
        (None, "succeeded", ()),
    ],
)
def test_whom_a_success_makes_needless(of: Family | None, outcome: Outcome | None, ids: tuple[str, ...]) -> None:
    state = loop("completed" if outcome else "running", loop_id="a2", engine=EngineState(family=of, outcome=outcome))
    assert find_superseded(state) == ids


amounts = st.builds(
    Budget,
    spent_seconds=st.integers(0, 1000).map(float),
    tokens=st.none() | st.integers(0, 10**6),
    cost=st.none() | st.integers(0, 100).map(float),
)


@given(amounts, amounts, amounts)
def test_what_is_spent_adds_up_in_any_order_and_unknown_is_not_zero(a: Budget, b: Budget, c: Budget) -> None:
    assert add_spent(add_spent(a, b), c) == add_spent(a, add_spent(b, c))
    total = add_spent(a, b)
    assert (total.tokens is None) == (a.tokens is None and b.tokens is None)
    assert most_spent(a, b) == most_spent(b, a)
    assert most_spent(a, a) == a


class Board:
    """What several runs tell each other, in the place of their files."""

    def __init__(self, size: int) -> None:
        self.told = [Budget()] * size

    def view(self, own: int) -> "BoardView":
        return BoardView(self, own)


class BoardView:
    def __init__(self, board: Board, own: int) -> None:
        self._board, self._own = board, own

    def others(self) -> Budget:
        total = Budget()
        for n, one in enumerate(self._board.told):
            total = total if n == self._own else add_spent(total, one)
        return total

    def tell(self, spent: Budget) -> None:
        self._board.told[self._own] = spent


@given(st.integers(2, 4), st.integers(1, 40), st.integers(1, 5), st.randoms(use_true_random=False))
async def test_all_together_overrun_by_no_more_than_a_request_each(
    size: int, limit: int, largest: int, chance: random.Random
) -> None:
    """Requests of turns side by side, in any order; each run looks before its next one, as a turn does."""
    board = Board(size)
    account = Budget(max_tokens=limit)
    meters = [
        BudgetMeter(lambda: account, lambda words: None, lambda usage: None, lambda: 0.0, board.view(n))
        for n in range(size)
    ]
    ledgers = [meter.open_ledger() for meter in meters]
    used, open_ones = [0] * size, set(range(size))
    for ledger in ledgers:
        ledger.begin("codex")
    while open_ones:
        n = chance.choice(sorted(open_ones))
        sign = await meters[n].sign()
        if sign and sign.used_up:
            open_ones.discard(n)
            continue
        used[n] += chance.randint(1, largest)
        ledgers[n].heard(Usage(tokens=used[n]), done=False)
    assert limit <= sum(used) < limit + size * largest


async def test_the_time_left_is_what_all_have_left() -> None:
    board = Board(2)
    board.told[1] = Budget(spent_seconds=500)
    account = Budget(max_minutes=10, spent_seconds=60)
    meter = BudgetMeter(lambda: account, lambda words: None, lambda usage: None, lambda: 0.0, board.view(0))
    assert meter.seconds_left() == 40
