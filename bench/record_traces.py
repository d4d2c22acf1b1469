"""Records traces for stall detection from real loops: real pytest, real git, agents that play a script.

    python bench/record_traces.py FOLDER [NAME…]

A person who never gives up drives each loop from the menu, so that nothing but the script ends it.
"""

import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.protocol import Capabilities
from loopwright.core.record import JournalEntry
from loopwright.core.run_events import EventBus
from loopwright.core.state import RunSettings
from loopwright.evidence.run import ProjectTests
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from tests.fakes import FakeClock, ListedPerson, NoDebugger, NoProcesses
from tests.stage import Stage, said

REPAIRS = Capabilities(debugs=True)


@dataclass(frozen=True)
class Course:
    """`turns`: (files that a DEBUG writes, the hypothesis it names). `onset`: how many turns are good ones.

    `commands`: bash tasks, one a DEVELOP, each followed by a VALIDATE, before the turns.
    """

    label: str
    words: str
    files: dict[str, str]
    turns: Sequence[tuple[dict[str, str | None], str]] = ()
    commands: Sequence[str] = ()
    onset: int | None = None


async def record(course: Course, project: Path) -> list[str]:
    """Drives the course and returns its trace, line by line."""
    for name, text in course.files.items():
        (project / name).write_text(text)
    answers = [
        ScriptedTurn(text=said("DEBUG", hypotheses=[{"description": words}] if words else []), files=files)
        for files, words in course.turns
    ]
    with FileStore(project, LOOPS, FakeClock()) as store:
        stage = Stage(project, store, answers=answers, capabilities=REPAIRS)
        settings = RunSettings(mode="interactive", agent="scripted", test_command=f"{sys.executable} -m pytest")
        loop_id = stage.service.create("Make it work", max_iterations=200, settings=settings).loop_id
        for n, command in enumerate(course.commands, 1):
            stage.service.tasks.add(loop_id, {"description": f"part {n}", "tool": "bash", "command": command})
        choices = ["validate", *["develop", "validate"] * len(course.commands)]
        choices += ["debug", "validate"] * len(course.turns)
        runner = LoopRunner(
            project=str(project),
            store=store,
            workspace=stage.workspace,
            tests=ProjectTests(project),
            clock=stage.clock,
            processes=NoProcesses(),
            agents=stage.make_agent,
            debugger=lambda id, bus: NoDebugger(),
        )
        await runner.drive(loop_id, take_up=take_up, bus=EventBus(), person=ListedPerson([*choices, "exit"]))
        entries = [e for e in store.events(loop_id) if e.event.type == "action_finished"]
        states = [store.read_at(loop_id, entry.seq) for entry in entries]
        return list(lines(course, entries, states))


def lines(course: Course, entries: Sequence[JournalEntry], states: Sequence[LoopState]) -> Iterator[str]:
    yield from (course.words, course.label, "")
    known, turns = 0, 0
    for entry, state in zip(entries, states, strict=True):
        assert state.skill_state is not None
        data, skill = json.loads(entry.model_dump_json())["event"]["data"], state.skill_state
        files = " ".join(change["file"] for change in data["changes"]) or "-"
        match data["action"]:
            case "DEVELOP":
                task = next(t for t in skill.develop.tasks if t.id == data["task"])
                yield f"develop {task.id} {'done' if task.status == 'completed' else 'failed'} {files}"
            case "DEBUG":
                if turns == course.onset:
                    yield "--- stalled from here"
                words = "; ".join(h.description for h in skill.debug.hypotheses[known:])
                known, turns = len(skill.debug.hypotheses), turns + 1
                yield f"debug {files}" + (f": {words}" if words else "")
            case "VALIDATE":
                yield from validation(state)


def validation(state: LoopState) -> Iterator[str]:
    assert state.skill_state is not None
    assert state.engine.last_validation is not None
    section = state.skill_state.validate_
    passed = sum(r.status == "passed" for r in section.test_results)
    yield f"validate {state.engine.last_validation.tree[:6]} +{passed} {section.coverage:g}%"
    for result in section.test_results:
        if result.status == "failed":
            trace = one_line(result.stack_trace or "")
            yield f"  {result.key}: {one_line(result.error_message or '')}" + (f"  @ {trace}" if trace else "")


def one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


NODE_TEST = """\
from app import Node, twin
import random

def test_twin():
    a = Node()
    assert twin(a) == a

def test_name():
    assert Node().name() == "node"
"""
NODE = "class Node:\n    def name(self):\n        return 'nod'\n\n\ndef twin(node):\n    return Node()\n"
STORE = {
    "app.py": "def total(xs):\n    return 1 + sum(xs)\n\n\ndef mean(xs):\n    return total(xs) // len(xs)\n\n\n"
    "def top(xs):\n    return sorted(xs)[0]\n\n\ndef label(n):\n    return LABELS[n]\n",
    "test_app.py": "import app\n\n\ndef test_total():\n    assert app.total([]) == 0\n\n\ndef test_mean():\n"
    "    assert app.mean([1, 2]) == 1.5\n\n\ndef test_top():\n    assert app.top([1, 3, 2]) == 3\n\n\n"
    "def test_label():\n    assert app.label(1) == 'one'\n",
}
FIXED = [
    ("1 + sum(xs)", "sum(xs)"), ("//", "/"), ("sorted(xs)[0]", "max(xs)"), ("LABELS[n]", "{1: 'one'}[n]"),
]  # fmt: skip


def repaired(text: str, upto: int) -> str:
    for old, new in FIXED[:upto]:
        text = text.replace(old, new)
    return text


ROUND_TEST = """\
from app import f


def test_text():
    assert f('a') == 'a'


def test_data():
    assert f(b'a') == b'a'
"""
AS_TEXT = "def f(x):\n    return x if isinstance(x, str) else x.decode()\n"
AS_DATA = "def f(x):\n    return x if isinstance(x, bytes) else x.encode()\n"
AS_NONE = "def f(x):\n    return None if isinstance(x, str) else x\n"
STEPS = [
    "def run():\n    return start()\n",
    "def start():\n    return stop\n\n\ndef run():\n    return start()()\n",
    "def stop(now):\n    return now\n\n\ndef run():\n    return stop()\n",
    "def stop(now=None):\n    return now\n\n\ndef run():\n    return stop()\n",
    "def stop(now=1):\n    return now\n\n\ndef run():\n    return stop()\n",
    "def stop(now=2):\n    return now\n\n\ndef run():\n    return stop()\n",
]
IDEAS = ("the name is cut", "the class lacks an equality", "twin makes a copy", "names are stored reversed")


def noisy(text: str, n: int) -> str:
    """The same program with other comments in front."""
    return f"# version {n}\n" * (n % 4 + 1) + text


def course_of(words: str, tests: str, versions: Sequence[str], label: str, **options: object) -> Course:
    """A course that writes one version of app.py after another."""
    hypotheses = itertools.cycle(options.pop("ideas", None) or [""])  # type: ignore[call-overload]  # a tuple of texts
    turns = [({"app.py": text}, next(hypotheses)) for text in versions[1:]]
    return Course(label, words, {"app.py": versions[0], "test_app.py": tests}, turns, **options)  # type: ignore[arg-type]  # fields by name


FLAKY = NODE_TEST + "\ndef test_weather():\n    assert random.random() < 0.5\n"
TEMPORARY = """\
import random


def test_file(tmp_path):
    assert open(tmp_path / 'out.txt').read()


def test_draw():
    assert random.random() > 1
"""
COURSES: dict[str, Course] = {
    "recorded-four-faults": course_of(
        "Recorded: four faults in one module, repaired one a round.", STORE["test_app.py"],
        [repaired(STORE["app.py"], n) for n in range(5)], "progressing"),
    "recorded-one-test-moves-on": course_of(
        "Recorded: one test that breaks at another place after each change.",
        "from app import run\n\n\ndef test_run():\n    assert run() == 2\n", STEPS, "progressing"),
    "recorded-parts-by-bash": Course(
        "progressing", "Recorded: five bash tasks write a part each; the one test asks for all of them.",
        {"test_all.py": "from pathlib import Path\n\n\ndef test_all():\n"
                        "    assert all(Path(f'part{n}.txt').exists() for n in range(1, 6)), 'not complete'\n"},
        commands=[f"echo {n} > part{n}.txt" for n in range(1, 6)]),
    "recorded-four-hypotheses": course_of(
        "Recorded: three ideas fall, the fourth holds; the failure says the same meanwhile.",
        "from app import Node\n\n\ndef test_name():\n    assert Node().name() == 'node'\n",
        [NODE, *(noisy(NODE, n) for n in range(1, 4)), NODE.replace("'nod'", "'node'")], "progressing", ideas=IDEAS),
    "recorded-comments": course_of(
        "Recorded: comments are written over a class whose objects are compared by address.",
        NODE_TEST, [noisy(NODE, n) for n in range(9)], "stuck", onset=0),
    "recorded-done-without-a-change": Course(
        "stuck", "Recorded: the agent says done and names the same cause, and the tree stays as it is.",
        {"app.py": NODE, "test_app.py": NODE_TEST}, [({}, "twin makes a copy")] * 7, onset=1),
    "recorded-temporary-file-and-random-number": course_of(
        "Recorded: one failure names a temporary folder, the other a random number; the code gets new comments.",
        TEMPORARY, [noisy("", n) for n in range(11)], "stuck", onset=0),
    "recorded-flaky-beside": course_of(
        "Recorded: two tests stay red under new comments, a third one is red whenever chance will have it.",
        FLAKY, [noisy(NODE, n) for n in range(11)], "stuck", onset=0),
    "recorded-two-versions": course_of(
        "Recorded: text and bytes; two versions of one function take turns.",
        ROUND_TEST, [AS_TEXT, AS_DATA] * 4, "circling", onset=0),
    "recorded-two-versions-with-comments": course_of(
        "Recorded: the same two versions under ever new comments.",
        ROUND_TEST, [noisy(text, n) for n, text in enumerate([AS_TEXT, AS_DATA] * 4)], "circling", onset=0),
    "recorded-ring-of-three": course_of(
        "Recorded: three versions, each of which fails in its own way, round and round.",
        ROUND_TEST, [noisy(text, n) for n, text in enumerate([AS_TEXT, AS_DATA, AS_NONE] * 4)], "circling", onset=0),
    "recorded-good-start-then-to-and-fro": course_of(
        "Recorded: three of four faults are repaired; then one of them comes and goes with two explanations.",
        STORE["test_app.py"],
        [repaired(STORE["app.py"], n) for n in (0, 1, 2, 3)] + [
            noisy(repaired(STORE["app.py"], 2 + n % 2), n) for n in range(8)],
        "circling", onset=3, ideas=("the largest comes last", "the smallest comes first")),
}  # fmt: skip


def main() -> None:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    for name in wanted or COURSES:
        with tempfile.TemporaryDirectory() as place:
            project = Path(place) / "project"
            project.mkdir()
            trace = asyncio.run(record(COURSES[name], project))
        (folder / f"{name}.trace").write_text("\n".join(trace) + "\n")
        print(f"{name}: {len(trace)} lines")


if __name__ == "__main__":
    main()
