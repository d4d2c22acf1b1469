"""Turns: one works, the others come along."""

import threading
from collections.abc import Callable, Sequence

import pytest

from loopwright.store.writer import GroupCommit


def test_who_is_alone_works_in_its_own_thread() -> None:
    seen: list[tuple[list[str], int]] = []
    turns: GroupCommit[str] = GroupCommit(lambda items, busy: seen.append(([*items], threading.get_ident())))
    turns.run("a")
    turns.run("b")
    assert seen == [(["a"], threading.get_ident()), (["b"], threading.get_ident())]


def test_those_who_wait_share_the_next_turn() -> None:
    started, go_on = threading.Event(), threading.Event()
    batches: list[list[int]] = []

    def work(items: Sequence[int], busy: Callable[[], bool]) -> None:
        batches.append([*items])
        if len(batches) == 1:
            started.set()
            assert go_on.wait(10)

    turns: GroupCommit[int] = GroupCommit(work)
    first = threading.Thread(target=turns.run, args=(0,))
    first.start()
    assert started.wait(10)
    others = [threading.Thread(target=turns.run, args=(n,)) for n in (1, 2, 3)]
    for thread in others:
        thread.start()
    while len(turns._waiting) < 3:
        threading.Event().wait(0.001)
    go_on.set()
    for thread in (first, *others):
        thread.join(10)
    assert batches[0] == [0]
    assert sorted(n for batch in batches[1:] for n in batch) == [1, 2, 3]
    assert len(batches) == 2


def test_a_turn_that_breaks_lets_the_next_one_in() -> None:
    def work(items: Sequence[str], busy: Callable[[], bool]) -> None:
        if "bad" in items:
            raise KeyboardInterrupt

    turns: GroupCommit[str] = GroupCommit(work)
    with pytest.raises(KeyboardInterrupt):
        turns.run("bad")
    turns.run("good")
