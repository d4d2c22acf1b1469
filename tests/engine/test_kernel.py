"""The kernel with several actions under way: none holds up another, and none outlives the drive."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest

from loopwright.core.errors import StoreError
from loopwright.core.kernel import Kernel
from loopwright.core.protocol import Control
from tests.fakes import FakeClock
from tests.waiting import soon


@dataclass(frozen=True)
class Course:
    """The state of a small workflow: `steps` may be begun once what they need is done; `open` allows the later ones."""

    begun: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    control: Control = Control.CONTINUE
    now: bool = False
    open: bool = False


NEEDS: dict[str, tuple[str, ...]] = {"a1": (), "a2": ("a1",), "b1": (), "b2": ("b1",), "end": ("a2", "b2")}
"""Two lanes, and an end that waits for both."""


async def at_once() -> None:
    """Something that takes no time."""


@dataclass
class TwoLanes:
    """A workflow of the kernel. `work` and `finishing`: what steps wait for; `taken`: whose begin is refused, once."""

    state: Course = Course()
    steps: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(NEEDS))
    work: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    finishing: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    outcomes: dict[str, str] = field(default_factory=dict)
    elapsed: dict[str, float] = field(default_factory=dict)

    def read(self) -> Course:
        return self.state

    def control(self, state: Course) -> Control:
        return state.control

    def must_cancel(self, state: Course) -> bool:
        return state.now

    async def ready(self, state: Course, running: tuple[str, ...]) -> tuple[str, ...]:
        self.asked.append(running)
        free = (step for step, needs in self.steps.items() if set(needs) <= {*state.done} and step not in state.begun)
        return tuple(step for step in free if state.open or not step.startswith("late"))

    def begin(self, choice: str) -> bool:
        if choice in self.taken:
            self.taken.discard(choice)
            return False
        self.state = replace(self.state, begun=(*self.state.begun, choice))
        return True

    async def perform(self, choice: str) -> str:
        try:
            await self.work.get(choice, at_once)()
        finally:
            self.ended.append(choice)
        return "done"

    def interrupted(self, choice: str) -> str:
        return "interrupted"

    async def finish(self, choice: str, outcome: str, elapsed: float) -> None:
        await self.finishing.get(choice, at_once)()
        self.outcomes[choice], self.elapsed[choice] = outcome, elapsed
        self.state = replace(self.state, done=(*self.state.done, choice))


async def drive(flow: TwoLanes) -> Course:
    return await Kernel(flow, FakeClock()).drive()


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


def raising(error: Exception) -> Callable[[], Awaitable[None]]:
    async def fails() -> None:
        raise error

    return fails


async def test_both_lanes_come_to_their_end() -> None:
    flow = TwoLanes()
    state = await drive(flow)
    assert state.done.index("a1") < state.done.index("a2") < state.done.index("end")
    assert set(state.done) == set(NEEDS)
    assert set(flow.outcomes.values()) == {"done"}


async def test_a_slow_step_holds_up_no_other_lane() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(work={"a1": lambda: _until(slow)})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: "b2" in flow.state.done)
    assert "a1" not in flow.state.done
    assert ("a1",) in flow.asked, "what is running is known to whoever chooses"
    slow.set()
    assert (await driving).done[-1] == "end"


async def test_a_slow_finish_holds_up_no_other_lane() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(finishing={"a1": lambda: _until(slow)})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: "b2" in flow.state.done)
    assert (flow.ended.count("a1"), "a1" in flow.state.done) == (1, False)
    slow.set()
    assert (await driving).done[-1] == "end"


async def test_what_becomes_possible_meanwhile_begins_beside_a_step_under_way() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(steps={"a1": (), "late": ()}, work={"a1": lambda: _until(slow)})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: flow.state.begun == ("a1",))
    flow.state = replace(flow.state, open=True)
    await soon(lambda: flow.state.done == ("late",))
    slow.set()
    assert (await driving).done == ("late", "a1")


async def test_nobody_is_asked_for_more_while_nothing_changes() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(steps={"a1": ()}, work={"a1": lambda: _until(slow)})
    clock = FakeClock()
    driving = asyncio.ensure_future(Kernel(flow, clock).drive())
    await soon(lambda: flow.asked[-1:] == [("a1",)])
    known = len(flow.asked)
    loop = asyncio.get_running_loop()
    later = loop.time() + 0.7
    await soon(lambda: loop.time() > later)
    assert len(flow.asked) == known
    slow.set()
    await driving


@pytest.mark.parametrize("where", ["work", "finishing"])
async def test_a_fault_in_one_step_ends_the_others_cleanly(where: str) -> None:
    flow = TwoLanes(work={"a1": forever})
    getattr(flow, where)["b1"] = raising(StoreError("the disk is full"))
    with pytest.raises(StoreError, match="the disk is full"):
        await drive(flow)
    assert set(flow.ended) == {"a1", "b1"}
    assert flow.outcomes == {}, "what was cancelled by a fault has no outcome: the next runner says what became of it"


@pytest.mark.parametrize("by", ["a fault", "somebody"])
async def test_what_fails_while_it_is_cancelled_is_told(by: str) -> None:
    async def clumsy() -> None:
        try:
            await forever()
        finally:
            raise StoreError("and it leaves a mess")

    fault = asyncio.Event()

    async def faulty() -> None:
        await fault.wait()
        raise StoreError("the disk is full")

    flow = TwoLanes(work={"a1": clumsy, "b1": faulty})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: len(flow.state.begun) == 2)
    if by == "a fault":
        fault.set()
    else:
        driving.cancel()
    with pytest.raises(StoreError) as caught:
        await driving
    told = ["the disk is full", "and it leaves a mess"]
    assert isinstance(caught.value.__cause__, BaseExceptionGroup)
    assert [str(error) for error in caught.value.__cause__.exceptions] == (told if by == "a fault" else told[1:])
    assert set(flow.ended) == {"a1", "b1"}


async def test_now_cancels_every_step_and_each_has_its_outcome() -> None:
    flow = TwoLanes(work={"a1": forever, "b1": forever})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: len(flow.state.begun) == 2)
    flow.state = replace(flow.state, control=Control.PAUSE_EXIT, now=True)
    assert set((await driving).done) == {"a1", "b1"}
    assert flow.outcomes == {"a1": "interrupted", "b1": "interrupted"}


async def test_a_pause_lets_what_is_under_way_come_to_its_end() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(work={"a1": lambda: _until(slow), "b1": lambda: _until(slow)})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: len(flow.state.begun) == 2)
    flow.state = replace(flow.state, control=Control.PAUSE_EXIT)
    slow.set()
    assert set((await driving).done) == {"a1", "b1"}
    assert set(flow.outcomes.values()) == {"done"}


async def test_a_choice_that_no_longer_holds_is_chosen_anew_beside_the_others() -> None:
    flow = TwoLanes(taken={"a1", "b2"})
    state = await drive(flow)
    assert set(state.done) == set(NEEDS)
    assert sorted(flow.ended) == sorted(NEEDS), "each is performed once"


async def test_the_time_of_a_step_is_its_own() -> None:
    slow = asyncio.Event()
    flow = TwoLanes(steps={"a1": (), "b1": ()}, finishing={"b1": lambda: _until(slow)})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: "a1" in flow.state.done)
    slow.set()
    await driving
    assert set(flow.elapsed) == {"a1", "b1"}
    assert all(0 < seconds < 10 for seconds in flow.elapsed.values())


async def test_whoever_cancels_the_drive_ends_every_step() -> None:
    flow = TwoLanes(work={"a1": forever, "b1": forever})
    driving = asyncio.ensure_future(drive(flow))
    await soon(lambda: len(flow.state.begun) == 2)
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    assert sorted(flow.ended) == ["a1", "b1"]
    assert flow.outcomes == {}


async def _until(event: asyncio.Event) -> None:
    await event.wait()
