"""Many loops at once, killed, paused, stopped and deleted at random: whatever happens to one, nothing crosses.

Real runners of loops with the same ids in several projects. Every loop that nobody stopped ends well.
"""

import os
import random
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loopwright.core.errors import ExitCode
from tests.together.members import WRITE, Member, begin, crossings, enlist, found, until

LOOPS, PROJECTS, AT_ONCE, STEPS = 120, 6, 6, 3
MOST_TROUBLE = 4
"""Times that one loop is disturbed; after that it is left alone."""

LONGEST = 2.5
"""Seconds after its start at which a runner is disturbed, at most; some have ended by then."""

WAYS = ("kill", "kill", "pause", "stop", "leave alone")


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops, and what was done to them."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="loopwright-fleet-") as place:
        fleet = enlisted(Path(place), chance, max(6, round(LOOPS * scale)), max(2, round(PROJECTS * min(scale, 1))))
        seeds = [chance.randrange(2**32) for _ in fleet]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for done in pool.map(live, fleet, map(random.Random, seeds)):
                counts.update(done)
        check([member for member in fleet if member.files])
    return {"loops": len(fleet), **counts}


def enlisted(place: Path, chance: random.Random, loops: int, projects: int) -> list[Member]:
    """Loops whose ids begin alike, and come again in each project, in any order."""
    state = place / "state"
    homes = [found(place / str(n), "project", state) for n in range(projects)]
    commands = [f"sleep {chance.uniform(0, 0.3):.3f}; {WRITE}" for _ in range(STEPS)]
    fleet = [enlist(Member(homes[n % projects], f"loop-{'1' * (n // projects + 1)}"), *commands) for n in range(loops)]
    return chance.sample(fleet, loops)


def live(member: Member, chance: random.Random) -> Counter[str]:
    """One loop from its start to its end, disturbed on the way; what was done to it."""
    done: Counter[str] = Counter()
    for _ in range(MOST_TROUBLE):
        runner = begin(member)
        try:
            runner.wait(chance.uniform(0.2, LONGEST))
            break
        except subprocess.TimeoutExpired:
            way = chance.choice(WAYS)
        done[way] += disturbed(member, runner, way)
        if member.state().status in ("completed", "failed"):
            break
    state = member.state()
    if state.status not in ("completed", "failed"):
        begin(member).wait(240)
        state = member.state()
    assert state.engine.outcome == ("stopped" if done["stop"] else "succeeded"), (member, state.failure_reason)
    if chance.random() < 0.2:
        assert member.project.call("delete", member.id, "--yes")[0] == 0
        done["delete"] += 1
    return done


def disturbed(member: Member, runner: "subprocess.Popen[bytes]", way: str) -> bool:
    """Does it and waits for the runner's end; False when the loop had ended and refused what came too late."""
    code = 0
    if way == "kill":
        os.kill(runner.pid, signal.SIGKILL)
    elif way != "leave alone":
        # Before it holds the loop, it would take up again what a stop has just ended: whoever says run means it.
        until(lambda: runner.poll() is not None or member.holder() == runner.pid)
        code, _ = member.project.call(way, member.id, *(["--now"] if way == "pause" else []))
    runner.wait(240)
    assert code in (ExitCode.DONE, ExitCode.ILLEGAL), (way, code)
    return code == ExitCode.DONE


def check(fleet: Sequence[Member]) -> None:
    found_there = list(crossings(fleet))
    assert not found_there, found_there[:5]
    for member in fleet:
        written = set(member.written.read_text().split()) if member.written.exists() else set()
        assert written <= {member.token}, member
        assert member.processes() == [], member
