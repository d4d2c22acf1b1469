"""Four attempts by two real agents: whoever cheats or fails loses, the smaller of two honest changes wins."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin, Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FEATURE, GOAL, course, feature, good, said
from tests.agents_real.loops import Ground, Json
from tests.agents_real.processes import until
from tests.agents_real.unruly import weakens_the_tests
from tests.model.script import Conversation, Delivery, Fault, Reply, Script, ShellCall, WriteCall
from tests.model.server import Model, serving
from tests.workspace.trees import git

pytestmark = pytest.mark.real_agents

TWO = ("--agent", "codex", "--agent", "opencode")
"""Dealt in turn: codex has the odd attempts, opencode the even ones."""

RUN = ("run", GOAL, "--auto", *TWO, "--attempts", "4", "--max-iterations", "6")
TALK = "".join(f"# a line of talk: {n}\n" for n in range(40))


def fails(_project: Path) -> Script:
    look = Reply("Let me look at the files.", (ShellCall("ls"),)), said("DEVELOP", "I looked.")
    return course(feature=look, mending=look)


def writes_much(project: Path) -> Script:
    """Mends the fault, and writes forty lines that nobody needs."""
    module = Reply("I write the module.", (WriteCall(str(project / "kelvin.py"), FEATURE + TALK),))
    honest = good(project)
    wordy = course(feature=(module, *feature(project)[1:]), mending=())
    return lambda asked: (
        honest(asked) if "Find the cause" in asked.user or "Plan the work" in asked.user else wordy(asked)
    )


Course = Callable[[Path], Script]
"""Of a model, by the worktree it works in."""

COURSES: Sequence[Course] = (weakens_the_tests, fails, writes_much, good)
SMALL = 3
"""Which of them is to win."""


@dataclass(frozen=True)
class Attempts:
    """A project in which two agents are known, and the model behind both."""

    place: Ground
    model: Model

    @property
    def states(self) -> list[Json]:
        """In the order of the attempts, as far as they are there."""
        folder = self.place.project / ".workflow" / ".loop"
        known = {path.stem: json.loads(path.read_bytes()) for path in folder.glob("loop-*.json")}
        family = next(iter(known.values()))["engine"]["family"]["members"] if known else []
        return [known[each["id"]] for each in family if each["id"] in known]

    @property
    def ids(self) -> list[str]:
        return [state["loop_id"] for state in self.states]

    def check_left(self, *ids: str) -> None:
        """No process, no change of the user's files, and no worktree or branch but those of `ids`."""
        assert not self.place.alive()
        assert self.place.touched() == set()
        branches = git(self.place.project, "for-each-ref", "--format=%(refname:short)", "refs/heads/loopwright").split()
        assert branches == [f"loopwright/{id}" for id in ids]
        listed = git(self.place.project, "worktree", "list", "--porcelain").splitlines()
        trees = [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]
        assert [tree.parent.name for tree in trees[1:]] == [*ids]
        assert sorted(path.name for path in self.place.agent.home.glob(".local/state/loopwright/*.worktrees/*")) == [
            *ids
        ]


Open = Callable[[Sequence[Course]], AbstractContextManager[Attempts]]


@pytest.fixture
def attempts(ground: Begin, real_agent: Prepare, fence: Fence) -> Open:
    """By the courses that the models of the attempts take."""

    @contextmanager
    def begin(courses: Sequence[Course]) -> Iterator[Attempts]:
        scripts: dict[int, Script] = {}

        def script(asked: Conversation) -> Reply | Fault:
            words = "\n".join((asked.system, *(each.text for each in asked.history)))
            number = next(n for n, id in enumerate(made.ids) if f"/{id}/" in words)
            if number not in scripts:
                scripts[number] = courses[number](Path(made.states[number]["engine"]["branch"]["path"]))
            return scripts[number](asked)

        with serving(script, fence.listen()) as model:
            place, other = ground("codex", model), real_agent("opencode", model)
            agent = replace(place.agent, environment={**other.environment, **place.agent.environment})
            made = Attempts(replace(place, agent=agent), model)
            yield made

    return begin


async def test_the_small_honest_one_wins_though_the_parent_is_killed(attempts: Open) -> None:
    """While two are at work, and two are not yet."""
    with attempts(COURSES) as made:
        async with made.place.running(*RUN, "--all") as parent:
            await until(lambda: len(made.model.turns) > 2, timeout=120)
            parent.kill()
            parent.wait()
            assert [state["status"] for state in made.states] == ["running", "running", "created", "created"]
            assert made.place.alive()
            rested = made.place.run("resume", made.ids[1], "--wait")
            assert (rested.code, rested.said[-1]["winner"]) == (0, made.ids[SMALL]), rested
        told = made.place.run("show", made.ids[0]).said[-1]["attempts"]
        assert [one["outcome"] == "succeeded" for one in told] == [False, False, True, True], told
        assert [one["chosen"] for one in told] == [False, False, False, True]
        assert [one["agent"] for one in told] == ["codex", "opencode"] * 2
        assert told[2]["changed_lines"] == told[3]["changed_lines"] + len(TALK.splitlines())
        assert "tests_put_back" in {each["kind"] for each in made.states[0]["engine"]["incidents"]}
        for id in made.ids:
            begun = [line for line in made.place.run("logs", id, "events").said if line.get("type") == "started"]
            assert len(begun) == 1
        made.check_left(made.ids[SMALL])


REQUEST = 1050
"""Tokens of one, as the scripted model counts them."""


def goes_on_and_on(_project: Path) -> Script:
    return lambda asked: Reply("On it.", (ShellCall("sleep 0.4"),), delivery=Delivery.SLOW)


def test_a_budget_of_tokens_holds_for_two_side_by_side(attempts: Open) -> None:
    """It is exceeded by one request of each at most; whoever has not begun by then does not begin."""
    with attempts([goes_on_and_on] * 4) as made:
        rested = made.place.run(*RUN, "--parallel", "2", "--max-tokens", "16000")
        assert rested.code == 8, rested
        assert 8000 < REQUEST * len(made.model.turns) <= 16000 + 2 * REQUEST
        assert [state["engine"]["outcome"] for state in made.states] == ["over_budget"] * 2 + ["stopped"] * 2
        assert all(state["engine"]["budget"]["tokens"] for state in made.states[:2])
        made.check_left()
