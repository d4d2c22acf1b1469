"""A model in trouble behind each of the real agents: how soon the screen says so, in seconds after the agent knew.

Where the agents are not installed and cannot be, nothing is tried, and the counts say so.
"""

import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

from tests.agents_real.agents import AGENTS, real_agent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import NotInstalled, node_modules
from tests.agents_real.kelvin import GOAL
from tests.agents_real.loops import Ground, ground
from tests.agents_real.processes import end_all
from tests.model.script import Fault
from tests.model.server import Model, serving

SILENCE = "no activity"
TROUBLES: Mapping[str, tuple[Fault, str]] = {
    "401": (Fault.UNAUTHORIZED, r"401|api.?key|authenticat|log in"),
    "429": (Fault.RATE_LIMITED, r"429|rate.?limit"),
    "500": (Fault.SERVER_ERROR, r"500|server (had an )?error|server_error|high demand"),
    "network down": (Fault.HANG, r"connect|network"),
    "hang": (Fault.HANG, SILENCE),
}
"""What the model does, and the words for it; silence is the honest word where an agent says nothing itself."""

PATIENCE = 30.0
AIM = 5.0
NOWHERE = "http://127.0.0.1:9"


class FirstWord(NamedTuple):
    """`seconds`: None where nothing was said in time. `line`: what was said."""

    agent: str
    trouble: str
    seconds: float | None
    line: str


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Runs by agent; at scale 1 every trouble with every agent."""
    try:
        modules = node_modules()
    except NotInstalled:
        return {"runs": 0}
    pairs = list(product(AGENTS, TROUBLES))
    chosen = chance.sample(pairs, max(1, min(len(pairs), round(len(pairs) * scale))))
    words = list(first_words(chosen, modules))
    late = [word for word in words if word.seconds is None or word.seconds > 2 * AIM]
    assert not late, late
    return {"runs": len(words)}


def first_words(pairs: list[tuple[str, str]], modules: Path) -> Iterator[FirstWord]:
    with fenced() as fence:
        for agent, trouble in pairs:
            yield first_word(agent, trouble, modules, fence)


def first_word(agent: str, trouble: str, modules: Path, fence: Fence) -> FirstWord:
    fault, words = TROUBLES[trouble]
    with tempfile.TemporaryDirectory(prefix="loopwright-words-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        with serving(lambda _conversation: fault, fence.listen()) as model:
            address = NOWHERE if trouble == "network down" else model.url
            place = ground(real_agent(agent, modules, address, Path(folder, "home")), project, fence)
            return _watched(place, model, trouble, re.compile(f"{words}|{SILENCE}", re.IGNORECASE))


def _watched(place: Ground, model: Model, trouble: str, words: re.Pattern[str]) -> FirstWord:
    """Starts a run and reads its screen until it says the word."""
    name = place.agent.name
    argv = place.argv(("run", GOAL, "--auto", "--agent", name))[:-1]
    out = place.agent.home / "screen"
    knew: float | None = None
    with out.open("wb") as screen:
        runner = subprocess.Popen(
            argv, cwd=place.project, env=dict(place.environment), stdin=subprocess.DEVNULL, stdout=screen,
            stderr=screen, start_new_session=True,
        )  # fmt: skip
    try:
        end = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < end:
            time.sleep(0.05)
            lines = out.read_text(errors="replace").splitlines()
            sent = any(f"{name} works on" in line for line in lines)
            if knew is None and (model.turns or (sent and trouble == "network down")):
                knew = time.monotonic()
            after = [line for line in lines if words.search(line) and GOAL not in line and "works on" not in line]
            if after:
                return FirstWord(name, trouble, round(time.monotonic() - (knew or time.monotonic()), 1), after[0])
            if knew is not None and time.monotonic() > knew + PATIENCE:
                break
        return FirstWord(name, trouble, None, "")
    finally:
        end_all_now(runner.pid, place)
        runner.wait()


def end_all_now(pid: int, place: Ground) -> None:
    import asyncio

    asyncio.run(end_all(pid, place.agent.home))


if __name__ == "__main__":
    for word in first_words(list(product(AGENTS, TROUBLES)), node_modules()):
        print(
            f"{word.agent:9} {word.trouble:13} {word.seconds if word.seconds is not None else '-':>5} s  {word.line}",
            flush=True,
        )
