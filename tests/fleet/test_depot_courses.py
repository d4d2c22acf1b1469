"""Any course of claims, steps, late and repeated pushes: git and the fake come to the same, and nothing is lost."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.errors import LoopwrightError
from tests.contracts.test_depot_contract import GitSite, Machine, MemorySite, Site
from tests.tiers import examples

Move = tuple[str, int, int]
MOVES: st.SearchStrategy[Move] = st.tuples(
    st.sampled_from(["step", "step", "claim", "push", "result"]), st.integers(0, 1), st.integers(0, 3)
)


class Course:
    """Two places, in each of which a machine may believe that the run is its own."""

    def __init__(self, site: Site) -> None:
        self.site = site
        first = site.machine()
        first.write("a", b"begun\n")
        self.base = first.commit()
        first.depot.push_base("loop-1", self.base)
        self.commits: list[str] = []
        self.files: dict[str, dict[str, bytes]] = {}
        self.pushed: set[str] = set()
        self.machines, self.tokens, self.good = [first, first], [1, 1], ""
        self.step(0, 0)

    def step(self, place: int, _: int) -> None:
        machine = self.machines[place]
        machine.write("b", b"%d\n" % len(self.commits))
        commit = machine.workspace.snapshot("loop-1", "step").commit
        if commit not in self.commits:
            self.commits.append(commit)
            self.files[commit] = machine.files()
        self.push(place, -1)

    def push(self, place: int, which: int) -> None:
        commit = self.commits[which % len(self.commits)]
        token = self.tokens[place]
        self.machines[place].depot.push_checkpoint("loop-1", token, self.base, commit)
        self.pushed.add(commit)
        if which == -1 and token == max(self.tokens):
            self.good = commit

    def claim(self, place: int, _: int) -> None:
        self.tokens[place] = max(self.tokens) + 1
        self.machines[place] = self.restored(self.good)

    def result(self, place: int, which: int) -> None:
        commit = self.commits[which % len(self.commits)]
        expected = self.commits[which // 2] if which and which // 2 < len(self.commits) else None
        self.machines[place].depot.push_result("loop-1", commit, "result", expected)

    def restored(self, commit: str) -> Machine:
        machine = self.site.machine()
        machine.depot.check_out("loop-1", self.base)
        machine.depot.fetch_checkpoints("loop-1", self.good)
        machine.workspace.restore(commit)
        return machine

    def move(self, move: Move) -> str:
        """What came of it."""
        name, place, which = move
        act: Callable[[int, int], None] = getattr(self, name)
        try:
            act(place, which)
        except LoopwrightError as error:
            return type(error).__name__
        tip = self.site.tip("result")
        return f"{sorted(self.machines[place].files().items())} {tip and self.commits.index(tip)}"


@settings(max_examples=examples(2))
@given(moves=st.lists(MOVES, min_size=3, max_size=8))
def test_any_course(moves: list[Move]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        memory, real = Course(MemorySite(Path(folder))), Course(GitSite(Path(folder)))
        for move in moves:
            assert memory.move(move) == real.move(move), move
        for course in (memory, real):
            machine = course.restored(course.good)
            for commit in course.pushed:
                machine.workspace.restore(commit)
                assert machine.files() == course.files[commit]
