"""One cycle by the real command: what its scripted roles say, and what must be true of it at its end."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from loopwright.core.cycle_names import ROLES
from loopwright.core.state import RunSettings
from loopwright.processes.process_tree import ProcessMark, list_processes
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock, open_engine
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.documents import MAIN, archived_name, version_in, without_header
from loopwright.workflows.cycle.logs import blockers_in, changes_in, decisions_in, feedback_in, read_timeline
from loopwright.workflows.cycle.model import CycleState, version_of
from loopwright.workspace.checkpoints import private_directory
from tests.cycle.stage import planned, said
from tests.real_command import Project

TESTS = "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self) -> None:\n        pass\n"
COMMAND = "python3 -m unittest"
EXTENSION = "Also five.txt"
FILES = ("one.txt", "two.txt", "three.txt", "four.txt", "five.txt")
SHARED = "shared.txt"
"""Two tasks change it at the same time, though the plan does not say so."""

COPIES = 6
"""How often each answer is there: whoever asks once more gets it once more."""

Json = Any  # Any: parsed JSON


@dataclass(frozen=True)
class Course:
    """A cycle in a project. `word` is in all that its roles say and write."""

    project: Project
    id: str
    word: str

    @property
    def root(self) -> Path:
        return self.project.root

    @property
    def progress(self) -> Path:
        return self.root / ".workflow" / ".cycle" / f"{self.id}.progress"

    @property
    def journal(self) -> Path:
        return self.root / ".workflow" / ".cycle" / f"{self.id}.events.ndjson"

    @property
    def lanes(self) -> Path:
        """Where its lanes are while it runs."""
        return private_directory(self.project.state / "loopwright", self.root).with_suffix(".lanes") / self.id

    def start(self) -> subprocess.Popen[bytes]:
        return self.project.start("cycle", "run", "--cycle-id", self.id, "--auto")

    def state(self) -> CycleState:
        with FileStore(self.root, CYCLES, SystemClock("+08:00")) as store:
            return store.read(self.id)

    def extend(self, text: str) -> None:
        code, said = self.project.call("cycle", "extend", self.id, text)
        assert code == 0, said

    def events(self) -> list[Json]:
        """What its journal tells."""
        lines = self.journal.read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["event"] for line in lines if line.endswith("}")]

    def text(self, name: str) -> str:
        return (self.progress / name).read_text(encoding="utf-8")

    def processes(self) -> list[int]:
        """Those that its runners have started, but for zombies."""
        mark = ProcessMark(self.id, str(self.root.resolve()))
        return [process.pid for process in list_processes() if mark.is_on(process.pid)]


def requirements(word: str, iteration: int) -> str:
    return f"# Requirements of {word}\n\n{iteration}. every file says {word}"


def exploration(word: str) -> str:
    return f"# Exploration of {word}\n\n## Integration points\n\n- {word}"


def plan_of(word: str, iteration: int) -> str:
    """In the second iteration with what the user has added, and with what is still to be done."""
    after = {4: ["TASK-001"], 5: ["TASK-002"]}
    tasks: list[dict[str, object]] = [
        {"id": f"TASK-{n:03d}", "description": f"{name} says {word}", "files": [f"{word}-{name}"],
         "depends_on": after.get(n, [])}
        for n, name in enumerate(FILES, 1)
    ]  # fmt: skip
    return planned(*(tasks if iteration == 2 else tasks[:4]))


def enlist(project: Project, word: str, *, pace: float, parallel: int) -> Course:
    """A new cycle; each turn of its roles takes `pace` seconds."""
    answers = [{**answer, "seconds": pace} for answer in _answers(word) for _ in range(COPIES)]
    return _enlisted(project, word, answers, parallel)


def enlist_short(project: Project, word: str, *, meet: Path, all_of: Sequence[str]) -> Course:
    """A new cycle of one iteration with two tasks; `all_of` such cycles wait in their first turn for each other."""
    meet.mkdir(parents=True, exist_ok=True)
    answers = [answer for answer in _answers(word, ask=False) for _ in range(COPIES)]
    first = next(answer for answer in answers if "ra.analyse" in str(answer["to"]))
    first |= {"signals": str(meet / word), "waits_for": [str(meet / other) for other in all_of]}
    two = planned(*json.loads(plan_of(word, 1))["tasks"][:2])
    for answer in answers:
        if "ep.plan" in str(answer["to"]):
            answer["files"] = {"{folder}/plan.json": two}
        answer["session"] = f"session of {word}"
        answer["files"] = {name: text for name, text in dict(answer["files"]).items() if SHARED not in name}
    return _enlisted(project, word, answers, 2)


def _enlisted(project: Project, word: str, answers: list[dict[str, Json]], parallel: int) -> Course:
    script = project.state / f"{word}.json"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(json.dumps({"answers": answers}), encoding="utf-8")
    settings = RunSettings(mode="auto", agent=f"scripted:{script}", test_command=COMMAND, proof="none")
    with open_engine(project.root, {}) as engine:
        state = engine.cycles.create(f"Every file says {word}", settings=settings, parallel=parallel)
    return Course(project, state.cycle_id, word)


def _answers(word: str, *, ask: bool = True) -> Iterator[dict[str, Json]]:
    """Two iterations: the second answers a blocker, and what the user has added."""
    question = f"Which colour has {word}? | red (recommended) | blue"
    for n in (1, 2):
        found = json.dumps({"type": "utility", "data": {"name": f"{word}-{n}", "file": "x", "usage": word}}) + "\n"
        yield _answer("ra.analyse", n, said("ra", summary=f"{word} is clear", decisions=[question] if ask else []), {
            "requirements.md": requirements(word, n), "edge-cases.md": f"- {word} is empty",
            "discoveries.ndjson": found,
        })  # fmt: skip
        yield _answer("ep.plan", n, said("ep", summary=f"{word} is planned"), {"plan.json": plan_of(word, n)})
        yield _answer(
            "vas.validate", n, said("vas", summary=f"{word} holds"), {"summary.md": f"# Judgement\n\n{word} {n}"}
        )
    yield _answer("ep.explore", 1, said("ep", summary=f"{word} is explored"), {
        "exploration.md": exploration(word), "architecture.md": f"# Architecture of {word}",
    })  # fmt: skip
    blocked = said("cd", "failed", f"{word} is not clear", blockers=[f"What is the third {word}? (TASK-003)"])
    yield _answer("cd.implement TASK-003", 1, blocked)
    for n, name in enumerate(FILES, 1):
        for iteration in (1, 2):
            if (n, iteration) != (3, 1):
                yield _writes(word, n, name, iteration)


def _writes(word: str, n: int, name: str, iteration: int) -> dict[str, Json]:
    answer = _answer(f"cd.implement TASK-{n:03d}", iteration, said("cd", summary=f"{word} is in {name}"))
    shared = {f"{word}-{SHARED}": f"{word} {name}\n"} if n in (1, 2) else {}
    return {**answer, "files": {f"{word}-{name}": f"{word}\n", **shared}}


def _answer(step: str, iteration: int, text: str, own: dict[str, str] | None = None) -> dict[str, Json]:
    files = {f"{{folder}}/{name}": content for name, content in (own or {}).items()}
    return {"to": f"# Order: {step}, iteration {iteration}\n", "text": text, "files": files}


def check(course: Course) -> None:
    """It has come to its right end, with everything that belongs to it, once, and nothing that does not."""
    state, word = course.state(), course.word
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    assert state.current_iteration == 2
    assert state.plan is not None
    assert {(task.id, task.status) for task in state.plan.tasks} == {(f"TASK-00{n}", "completed") for n in range(1, 6)}
    for name in FILES:
        assert (course.root / f"{word}-{name}").read_text() == f"{word}\n", name
    assert state.test_results is not None
    assert state.test_results.pass_rate == 100
    assert (state.engine.under_way, state.engine.half, state.engine.queue) == ((), {}, ())
    assert state.task_history[1:] == (EXTENSION,)
    assert [decision.status for decision in state.coordination.pending_decisions] == ["implemented"]
    assert [blocker.status for blocker in state.coordination.blockers] == ["resolved"]
    assert [incident.kind for incident in state.engine.incidents if incident.kind in UNWANTED] == []
    never_twice(course.events())
    logs_are_whole(course, state)
    documents_are_whole(course)
    nothing_is_left(course, state)


UNWANTED = ("put_back", "state_put_back", "journal_damaged", "recovered", "bad_discovery")


def finished(events: list[Json]) -> list[tuple[Json, ...]]:
    """(iteration, step, task) of the steps that came to a good end, in their order."""
    ended = [event["data"] for event in events if event["type"] == "step_finished"]
    return [(data["iteration"], data["step"], data["task"]) for data in ended if _is_good(data["result"])]


def _is_good(result: str) -> bool:
    return not result.startswith(("gave no result", "not done", "asks", "cancelled"))


LOOKED_AT_AGAIN = ("vas.validate", "aggregation")
"""What the tree is now, where it has changed; and the border, where a person has paused meanwhile."""


def never_twice(events: list[Json]) -> None:
    """No step that came to a good end has begun again; one that did not, once for each time it was broken off."""
    done = Counter(finished(events))
    again = {key: count for key, count in done.items() if count > 1 and key[1] not in LOOKED_AT_AGAIN}
    assert again == {}, again
    begun = Counter(_key(event["data"]) for event in events if event["type"] == "step_started")
    broken = Counter(key for event in events if event["type"] == "taken_over" for key in event["data"]["steps"])
    ended = Counter(_key(event["data"]) for event in events if event["type"] == "step_finished")
    assert begun == ended + broken, (begun, ended, broken)


def _key(data: Json) -> str:
    return f"{data['step']} {data['task']}" if data["task"] else str(data["step"])


def logs_are_whole(course: Course, state: CycleState) -> None:
    """No line is missing, and none is there twice."""
    assert feedback_in(course.text("coordination/feedback.md")) == state.coordination.feedback_log
    decisions = course.text("coordination/decisions.log")
    assert decisions_in(decisions) == state.coordination.pending_decisions
    assert blockers_in(decisions) == state.coordination.blockers
    told = [{k: v for k, v in json.loads(line).items() if k != "at"} for line in decisions.splitlines()]
    assert all(told.count(line) == 1 for line in told), told
    timeline = course.text("coordination/timeline.md")
    assert read_timeline(timeline).records == state.iterations
    assert [timeline.count(f"## Iteration {n}\n") for n in (1, 2, 3)] == [1, 1, 0]
    assert state.changes is not None
    assert changes_in(course.text("cd/changes.log")) == state.changes.changes
    changed = Counter(line.file for line in state.changes.changes)
    assert changed.keys() - {f"{course.word}-{SHARED}"} == {f"{course.word}-{name}" for name in FILES}, changed
    wrote = [(event["data"]["role"], event["data"]["iteration"], name) for event in course.events()
             if event["type"] == "step_finished" for name in event["data"]["files"]]  # fmt: skip
    for role in ROLES:
        there = [(line.agent, line.iteration, line.file) for line in changes_in(course.text(f"{role}/changes.log"))]
        if role != "cd":
            assert Counter(there) == Counter(one for one in wrote if one[0] == role), (role, there)
    board = [json.loads(line) for line in course.text("coordination/discoveries.ndjson").splitlines()]
    named = [line["data"]["name"] for line in board if line["type"] == "utility"]
    assert sorted(named) == [f"{course.word}-1", f"{course.word}-2"]
    for path in course.progress.rglob("*.ndjson"):
        assert all(isinstance(json.loads(line), dict) for line in path.read_text().splitlines()), path


def documents_are_whole(course: Course) -> None:
    """Every version is there once, and says what was said then."""
    word = course.word
    for name in MAIN:
        assert version_in(name, course.text(name)) == version_of(2), name
        kept = sorted((course.progress / name).parent.glob(f"history/{Path(name).stem}-v*"))
        assert [f"{Path(name).parent}/history/{path.name}" for path in kept] == [archived_name(name, version_of(1))], (
            kept
        )
        assert version_in(name, course.text(archived_name(name, version_of(1)))) == version_of(1), name
    for version, text in ((1, course.text(archived_name("ra/requirements.md", version_of(1)))),
                          (2, course.text("ra/requirements.md"))):  # fmt: skip
        assert without_header(text) == requirements(word, version)
    for name in ("ep/exploration.md", archived_name("ep/exploration.md", version_of(1))):
        assert without_header(course.text(name)) == exploration(word)
    for version, name in ((1, archived_name("vas/summary.md", version_of(1))), (2, "vas/summary.md")):
        assert f"{word} {version}" in course.text(name)
        assert f"{word} {3 - version}" not in course.text(name)
    first = json.loads(course.text(archived_name("ep/plan.json", version_of(1))))
    left = [task["id"] for task in first["tasks"] if task["status"] != "completed"]
    assert (len(first["tasks"]), left) == (4, ["TASK-003"])
    assert course.text("coordination/summary.md")


def nothing_is_left(course: Course, state: CycleState) -> None:
    """No process and no lane; every checkpoint can be read."""
    assert course.processes() == []
    assert not course.lanes.exists()
    with open_engine(course.root, {"checkpoints": str(course.project.state / "loopwright")}) as engine:
        known = state.engine.checkpoints
        for one, other in pairwise(known):
            assert engine.cycles.workspace.diff(one.commit, other.commit)
