"""Pause, resume, extend and stop at any moment: nothing accepted is lost, and all that was added is done."""

import asyncio
import os
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.soaks._cycle_course import finished, never_twice
from loopwright.core.errors import IllegalTransition
from loopwright.core.protocol import AgentOutput, Usage
from loopwright.core.run_events import RunNote
from loopwright.core.state import Budget, Limits
from loopwright.workflows.cycle.logs import read_timeline
from loopwright.workflows.cycle.model import FINISHED, CycleState, version_of
from tests.chance import SEED
from tests.cycle.stage import Cast, CycleStage, MakeCycleStage, Play, Turn, planned, said
from tests.fakes import NoProcesses

STORMS = 4
COMMANDS = ("pause", "pause now", "extend")
MOST_EXTENSIONS = 3
LONGEST = 40
"""Notes that a command comes after, at most."""

ORDER = re.compile(r"^# Order: (\S+) ?(\S+)?, iteration (\d+)$", re.MULTILINE)


@dataclass
class Storm:
    """A person who says something in the middle of everything; `frozen`: then the turns under way come to no end."""

    stage: CycleStage
    chance: random.Random
    id: str = ""
    frozen: bool = False
    asked: list[str] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    sessions: dict[tuple[str, Path], str] = field(default_factory=dict)
    spawned: set[tuple[str, Path]] = field(default_factory=set)
    done: list[tuple[object, ...]] = field(default_factory=list)
    stopping: "asyncio.Task[CycleState] | None" = None

    def cast(self) -> Cast:
        """Everybody's plays, as often as they are asked for."""
        steps = {
            "ra.analyse": self._analyses, "ep.explore": self._explores, "ep.plan": self._plans,
            "cd.implement": self._implements, "vas.validate": self._judges,
        }  # fmt: skip
        return Cast({step: [self._in_a_session(play)] * 200 for step, play in steps.items()})

    async def drive(self, on_note: Callable[[RunNote], None] | None = None) -> CycleState:
        """By a new runner, with new agents."""
        self.frozen = False
        self.spawned.clear()
        return await self.stage.drive(self.id, on_note=on_note)

    def acting(self, *, stops: bool) -> Callable[[RunNote], None]:
        """Hears the runner, and says something after so many of its notes, again and again."""
        left = self.chance.randint(1, LONGEST)

        def hear(note: RunNote) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                left = self.chance.randint(1, LONGEST)
                what = "stop" if stops and self.stopping is None else self.chance.choice(COMMANDS)
                with suppress(IllegalTransition):  # it has just come to an end by itself
                    self._say(what)

        return hear

    def _say(self, what: str) -> None:
        service = self.stage.service
        if what == "extend":
            if len(self.asked) == MOST_EXTENSIONS or self.frozen:  # it would go on, and nobody cancel what is frozen
                return
            words = f"Also part {len(self.asked) + 1}"
            service.extend(self.id, words)
            self.asked.append(words)
        elif what == "stop":
            self.frozen = True
            self.stopping = asyncio.ensure_future(service.stop(self.id))
        else:
            service.pause(self.id, now=what == "pause now")
            self.frozen = what == "pause now"
        self.said[what] += 1

    def look(self) -> CycleState:
        """What has to hold whenever it rests."""
        state = self.stage.service.read(self.id)
        assert state.status != "running"
        assert state.engine.under_way == ()
        assert [*state.task_history[1:], *state.engine.queue] == self.asked
        events = [entry.event.model_dump(mode="json") for entry in self.stage.store.events(self.id)]
        now = finished(events)
        assert now[: len(self.done)] == self.done, "an accepted result is gone"
        self.done = now
        never_twice(events)
        timeline = read_timeline(self.stage.document(self.id, "coordination/timeline.md")) if _begun(state) else None
        over = tuple(record for record in state.iterations if record.completed_at)
        assert timeline is None or timeline.records == over
        return state

    def _in_a_session(self, play: Play) -> Play:
        """One session for each role in each place, once a turn in it has come to its end."""

        async def plays(turn: Turn) -> AgentOutput | str:
            place = (turn.role, turn.place)
            if place not in self.spawned:  # what is said in an open session does not name it
                assert turn.message.session == self.sessions.get(place, turn.message.session)
            self.spawned.add(place)
            for _ in range(self.chance.randrange(30)):
                await asyncio.sleep(0)
            if self.frozen:
                await asyncio.get_running_loop().create_future()  # only cancelling ends it
            output = await play(turn)
            self.sessions[place] = turn.message.session or f"session of {turn.role}"
            return output

        return plays

    async def _analyses(self, turn: Turn) -> str:
        turn.write("requirements.md", f"# Requirements of iteration {_order(turn)[2]}\n")
        return said("ra", decisions=["Which? | this | that"] if self.chance.random() < 0.5 else [])

    async def _explores(self, turn: Turn) -> str:
        turn.write("exploration.md", "# Exploration\n\nOne folder.\n")
        return said("ep")

    async def _plans(self, turn: Turn) -> str:
        parts = [f"{n}{part}" for n in range(1, int(_order(turn)[2]) + 1) for part in "ab"]
        tasks: list[dict[str, object]] = [
            {"id": f"TASK-{part}", "description": f"Part {part}", "files": [f"part-{part}.txt"]} for part in parts
        ]
        turn.write("plan.json", planned(*tasks))
        return said("ep")

    async def _implements(self, turn: Turn) -> str:
        turn.change(f"part-{_order(turn)[1].removeprefix('TASK-')}.txt", "done")
        return said("cd")

    async def _judges(self, turn: Turn) -> str:
        turn.write("summary.md", f"# Judgement {len(self.sessions)} {self.chance.random()}\n")
        return said("vas")


def _order(turn: Turn) -> tuple[str, str, str]:
    found = ORDER.search(turn.message.text)
    assert found is not None
    return found[1], found[2] or "", found[3]


def _begun(state: CycleState) -> bool:
    return any(record.completed_at for record in state.iterations)


class Sparing(NoProcesses):
    """The runner is this very process: a stop waits for it no longer than the clock says, and then lets it live."""

    def end_runner(self, pid: int) -> None:
        assert pid == os.getpid()


def passes(project: Path) -> dict[str, str]:
    """A test, and one for each part that there is."""
    return dict.fromkeys(("test", *(part.stem for part in project.glob("part-*.txt"))), "passed")


@pytest.mark.parametrize("number", range(STORMS))
async def test_whatever_a_person_says_at_any_moment(make_stage: MakeCycleStage, number: int) -> None:
    chance = random.Random(f"{SEED} {number}")
    storm, stops = staged(make_stage, chance), number % 4 == 3
    rounds = chance.randint(1, 6)
    for left in range(rounds, -1, -1):
        await storm.drive(storm.acting(stops=stops and left == 1) if left else None)
        if storm.stopping is not None:
            with suppress(IllegalTransition):  # it had come to its end before the stop was carried out
                await storm.stopping
        state = storm.look()
        if state.status in FINISHED and (storm.stopping or not state.engine.queue):
            break
    assert_right(storm, state)


def staged(make_stage: MakeCycleStage, chance: random.Random) -> Storm:
    stage = make_stage(judge=passes, processes=Sparing())
    storm = Storm(stage, chance)
    stage.cast = storm.cast()
    storm.id = stage.create(parallel=chance.choice((1, 2, 3)), max_iterations=2)
    return storm


def assert_right(storm: Storm, state: CycleState) -> None:
    stage, iterations = storm.stage, state.current_iteration
    if storm.stopping is not None and state.engine.outcome == "stopped":
        assert (state.status, state.failure_reason) == ("failed", "Manually stopped by user")
        assert stage.document(storm.id, "coordination/summary.md")
        return
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    assert iterations == 1 + len(storm.asked)
    assert [record.extension for record in state.iterations] == [None, *storm.asked]
    for n in range(1, iterations + 1):
        assert {(stage.project / f"part-{n}{part}.txt").read_text() for part in "ab"} == {"done"}
    assert state.changes is not None
    assert Counter(line.file for line in state.changes.changes) == Counter(
        f"part-{n}{part}.txt" for n in range(1, iterations + 1) for part in "ab"
    )
    for n in range(1, iterations):
        assert f"iteration {n}\n" in stage.document(storm.id, f"ra/history/requirements-v{version_of(n)}.md")
    assert not list((stage.project.parent / "private").glob("*.lanes/*"))


async def test_the_storms_do_hit(make_stage: MakeCycleStage) -> None:
    """A turn that a pause cancels is asked for again, with the session where there was one."""
    storm = staged(make_stage, random.Random(1))
    first: list[Turn] = storm.stage.cast.turns

    def hear(note: RunNote) -> None:
        if note.kind == "activity" and "works on cd.implement" in note.text and not storm.frozen:
            storm._say("pause now")

    await storm.drive(hear)
    state = storm.look()
    assert state.status == "paused"
    asked = [_order(turn)[:2] for turn in first if turn.role == "cd"]
    await storm.drive()
    assert_right(storm, storm.look())
    again = [_order(turn)[:2] for turn in storm.stage.cast.turns if turn.role == "cd"]
    assert Counter(again)[asked[0]] == 2


def costing(play: Callable[[Turn], Awaitable[str]], tokens: int) -> Play:
    async def plays(turn: Turn) -> AgentOutput:
        return AgentOutput(agent_id="", running=False, text=await play(turn), usage=Usage(tokens=tokens))

    return plays


@pytest.mark.parametrize(
    ("budget", "raised", "words"),
    [
        (Budget(max_tokens=250), Limits(max_tokens=9000), "budget of 250 tokens"),
        (Budget(max_minutes=0.2), Limits(max_minutes=90), "time budget of 0.2 minutes"),
    ],
)
async def test_a_budget_ends_it_with_what_is_left(
    make_stage: MakeCycleStage, budget: Budget, raised: Limits, words: str
) -> None:
    storm = staged(make_stage, random.Random(2))
    stage = storm.stage
    for step, plays in stage.cast.plays.items():
        stage.cast.plays[step] = [costing(play, 100) for play in plays]  # type: ignore[arg-type]  # each of them says a text
    storm.id = stage.create(budget=budget, max_iterations=3)
    state = await storm.drive()
    assert (state.status, state.engine.outcome) == ("failed", "over_budget")
    assert str(state.failure_reason).startswith(f"the {words} is used up; ")
    issues = state.iterations[-1].issues_found
    assert issues
    assert all(issue in str(state.failure_reason) for issue in issues)
    assert all(issue in stage.document(storm.id, "coordination/summary.md") for issue in issues)
    stage.service.reopen(storm.id, raised)
    await storm.drive()
    state = storm.look()
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
