"""Each of the real agents through loops, a cycle and trouble: how soon the screen says what is so, and how it ends.

Seconds are those after the agent knew. Where the agents are not installed and cannot be, nothing is tried, and the
counts say so.
"""

import asyncio
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

from tests.agents_real import cycles
from tests.agents_real.agents import AGENTS, real_agent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import NotInstalled, node_modules
from tests.agents_real.kelvin import GOAL, good
from tests.agents_real.loops import Ground, ground
from tests.agents_real.processes import end_all
from tests.agents_real.unruly import asks_back, weakens_the_tests
from tests.model.roles import by_step
from tests.model.script import Fault, Reply, Script
from tests.model.server import Model, serving

SILENCE = "no activity"


class Case(NamedTuple):
    """What the model does, and the words for it on the screen; silence is the honest word where nothing else is said.

    `knew`: words of the model's answer, from which on the agent knows. `ends`: exit code, status and outcome of a run
    that is not ended at its first word. `is_killed`: the runner is killed once the agent knows; then `list` has the
    word, and the run is taken up again.
    """

    script: Callable[[Path], Script]
    words: str
    knew: str = ""
    options: tuple[str, ...] = ()
    ends: tuple[int, str, str | None] | None = None
    is_killed: bool = False


def _always(fault: Fault) -> Callable[[Path], Script]:
    return lambda project: lambda conversation: fault


FEATURE = "I write the module"
DONE = 0, "completed", "succeeded"
FAILED = 1, "failed", "exhausted"

CASES: Mapping[str, Case] = {
    "loop": Case(good, FEATURE, FEATURE, ends=DONE),
    "cycle": Case(lambda project: by_step(cycles.GOOD), r"✓|used [\d,]+ tokens", ends=DONE),
    "killed runner": Case(good, "no runner", FEATURE, ends=DONE, is_killed=True),
    "tamper": Case(weakens_the_tests, "put back as", "too strict", ("--max-iterations", "6"), FAILED),
    "question": Case(asks_back, "told to decide", "class or a function", ends=DONE),
    "permission": Case(
        good, "refused by policy", FEATURE, ("--permissions", "read-only", "--max-iterations", "2"), FAILED
    ),
    "401": Case(_always(Fault.UNAUTHORIZED), r"401|api.?key|authenticat|log in"),
    "429": Case(_always(Fault.RATE_LIMITED), r"429|rate.?limit"),
    "500": Case(_always(Fault.SERVER_ERROR), r"500|server (had an )?error|server_error|high demand"),
    "network down": Case(_always(Fault.HANG), r"connect|network"),
    "hang": Case(_always(Fault.HANG), SILENCE),
}

PATIENCE = 30.0
AIM = 5.0
END = 300.0
"""Seconds that a run has to come to its end."""
NOWHERE = "http://127.0.0.1:9"


class FirstWord(NamedTuple):
    """`seconds`: None where nothing was said in time. `line`: what was said. `end`: how it ended, if it was awaited."""

    agent: str
    case: str
    seconds: float | None
    line: str
    end: tuple[int, str, str | None] | None

    def __str__(self) -> str:
        seconds = "-" if self.seconds is None else f"{self.seconds:.1f}"
        end = "/".join(str(part) for part in self.end if part is not None) if self.end else ""
        return f"{self.agent:9} {self.case:13} {seconds:>5} s  {end:22} {self.line.strip()[:90]}"

    @property
    def is_fine(self) -> bool:
        return self.seconds is not None and self.seconds <= 2 * AIM and self.end == CASES[self.case].ends


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Runs by agent; at scale 1 every case with every agent."""
    try:
        modules = node_modules()
    except NotInstalled:
        return {"runs": 0}
    pairs = list(product(AGENTS, CASES))
    chosen = sorted(chance.sample(pairs, max(1, min(len(pairs), round(len(pairs) * scale)))), key=pairs.index)
    words = []
    for word in first_words(chosen, modules):
        print(word, flush=True)
        words.append(word)
    wrong = [word for word in words if not word.is_fine]
    assert not wrong, wrong
    return {"runs": len(words)}


def first_words(pairs: list[tuple[str, str]], modules: Path) -> Iterator[FirstWord]:
    with fenced() as fence:
        for agent, case in pairs:
            yield first_word(agent, case, modules, fence)


def first_word(agent: str, case: str, modules: Path, fence: Fence) -> FirstWord:
    with tempfile.TemporaryDirectory(prefix="loopwright-words-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        with serving(CASES[case].script(project), fence.listen()) as model:
            address = NOWHERE if case == "network down" else model.url
            if case == "cycle":
                roles = dict.fromkeys(("ra", "ep", "cd", "vas"), agent)
                place: Ground = cycles.cast(roles, modules, address, project, fence)
                words = ["cycle", "run", cycles.GOAL, "--auto", *cycles.words(roles)]
            else:
                place = ground(real_agent(agent, modules, address, Path(folder, "home")), project, fence)
                words = ["run", GOAL, "--auto", "--agent", agent, *CASES[case].options]
            return _Watch(place, model, agent, case).follow(tuple(words))


class _Watch:
    """Starts a run and reads its screen until it says the word; then, where that is wanted, waits for its end."""

    def __init__(self, place: Ground, model: Model, agent: str, case: str) -> None:
        self._place, self._model, self._agent, self._name, self._case = place, model, agent, case, CASES[case]
        self._words = re.compile(f"{self._case.words}|{SILENCE}" if self._case.ends is None else self._case.words, re.I)

    def follow(self, words: tuple[str, ...]) -> FirstWord:
        out = self._place.agent.home / "screen"
        with out.open("wb") as screen:
            runner = subprocess.Popen(
                self._place.argv(words)[:-1], cwd=self._place.project, env=dict(self._place.environment),
                stdin=subprocess.DEVNULL, stdout=screen, stderr=screen, start_new_session=True,
            )  # fmt: skip
        try:
            seconds, line = self._first(out, runner)
            end = None if self._case.ends is None else self._end(runner)
            return FirstWord(self._agent, self._name, seconds, line, end)
        finally:
            asyncio.run(end_all(runner.pid, self._place.agent.home))
            runner.wait()

    def _first(self, out: Path, runner: "subprocess.Popen[bytes]") -> tuple[float | None, str]:
        end, knew, old = time.monotonic() + 4 * PATIENCE, None, 0
        while time.monotonic() < end and (knew is None or time.monotonic() < knew + PATIENCE):
            time.sleep(0.05)
            lines = out.read_text(errors="replace").splitlines()
            if knew is None:
                knew, old = (time.monotonic(), old) if self._knows(lines) else (None, len(lines))
            if knew is not None and self._case.is_killed:
                runner.kill()
                runner.wait()
                lines, old = self._place.shown("list").splitlines(), 0
            for line in lines[old:]:  # what was said before is about something else
                is_ours = self._case.is_killed or (GOAL not in line and "works on" not in line)
                if knew is not None and is_ours and self._words.search(line):
                    return round(time.monotonic() - knew, 1), line
        return None, ""

    def _knows(self, lines: list[str]) -> bool:
        if self._name == "network down":
            return any(f"a session of {self._agent}" in line for line in lines)
        answers = [turn.answer.text if isinstance(turn.answer, Reply) else "" for turn in self._model.turns]
        return any(self._case.knew in text for text in answers)

    def _end(self, runner: "subprocess.Popen[bytes]") -> tuple[int, str, str | None]:
        if self._case.is_killed:
            code = self._place.run("run", "--loop-id", self._place.loop_id, "--auto").code
        else:
            code = runner.wait(END)
        return code, *self._place.rest


if __name__ == "__main__":
    for word in first_words(list(product(AGENTS, CASES)), node_modules()):
        print(word, flush=True)
