"""A small project for a cycle, how good agents play its roles, and several of them in one home."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from loopwright.processes.confinement import landlock_level
from tests.agents_real import kelvin
from tests.agents_real.agents import RealAgent, real_agent
from tests.agents_real.fence import Fence
from tests.agents_real.loops import Ground, Json, ground, objects
from tests.agents_real.processes import until
from tests.model.roles import Course, Ordered, ordered
from tests.model.script import EditCall, Fault, McpCall, ReadCall, Reply, ShellCall, WriteCall
from tests.model.server import Model

GOAL = "Make the tests pass: to_celsius rounds down, and to_kelvin(fahrenheit) in a new module kelvin.py is missing."
MORE = "Also add to_rankine(fahrenheit) in a new module rankine.py, with a test."

BROKEN, MENDED = kelvin.BROKEN, kelvin.MENDED
KELVIN = "def to_kelvin(fahrenheit):\n    return (fahrenheit - 32) * 5 / 9 + 273.15\n"
RANKINE = "def to_rankine(fahrenheit):\n    return fahrenheit + 459.67\n"
TEST = "from rankine import to_rankine\n\n\ndef test_rankine():\n    assert to_rankine(0) == 459.67\n"
FILES: Mapping[str, str] = {
    **kelvin.FILES,
    "tests/test_temperature.py": (
        "import pytest\nfrom temperature import to_celsius\n\n\n"
        "def test_a_fraction():\n    assert to_celsius(32.9) == pytest.approx(0.5)\n"
    ),
}

DONE = {" M temperature.py", "?? kelvin.py"}
EXTENDED = DONE | {"?? rankine.py", "?? tests/test_rankine.py"}
"""What git sees in the end of each iteration."""

TASKS: Sequence[Mapping[str, object]] = (
    {"id": "TASK-001", "description": "Mend to_celsius (R1).", "effort": "small", "files": ["temperature.py"]},
    {"id": "TASK-002", "description": "Add to_kelvin (R2).", "effort": "small", "files": ["kelvin.py"]},
)
NEXT: Mapping[str, object] = {
    "id": "TASK-003", "description": "Add to_rankine with its test (R3).", "effort": "medium",
    "files": ["rankine.py", "tests/test_rankine.py"],
}  # fmt: skip

NOTE = {"location": "temperature.py", "message": "it rounds"}
TEXTS = {
    "requirements.md": "## Functional requirements\n- R1 to_celsius is exact (the goal)\n- R2 to_kelvin (the goal)\n",
    "edge-cases.md": "- fractions of a degree\n- absolute zero\n",
    "exploration.md": "# What is there\nplain functions (temperature.py)\n\n## Risks\n- temperature.py: is used\n",
    "architecture.md": "One module for each scale (temperature.py).\n",
    "summary.md": "## Requirements\n- R1, R2: met\n\n## Judgement\nGood enough.\n",
}
"""Documents of the first iteration."""


def document(order: Ordered, name: str) -> WriteCall:
    """As it is written in that iteration."""
    more = f"\nIteration {order.iteration}: {MORE}\n" if order.iteration > 1 else ""
    return order.writes(name, TEXTS[name] + more)


def files(order: Ordered, *names: str) -> tuple[Reply, ...]:
    """One after the other; what was there before is read first, which some want."""
    known = [Reply(calls=(ReadCall(str(order.folder / name)),)) for name in names if order.iteration > 1]
    return (*known, *(Reply(calls=(document(order, name),)) for name in names))


def analyses(order: Ordered) -> Sequence[Reply | Fault]:
    return *files(order, "requirements.md", "edge-cases.md"), *order.told("The goal is clear.")


def explores(order: Ordered) -> Sequence[Reply | Fault]:
    finding = {"type": "test_command", "data": {"unit": "python -m pytest -q"}}
    board = Reply(calls=(McpCall("loopwright", "report_discovery", finding),))
    return *files(order, "exploration.md", "architecture.md"), board, *order.told("A small package.")


def plans(order: Ordered) -> Sequence[Reply | Fault]:
    """Reports as text."""
    first = order.iteration == 1
    text = json.dumps({"tasks": TASKS if first else [*TASKS, NEXT]})
    known = () if first else (Reply(calls=(ReadCall(str(order.folder / "plan.json")),)),)
    return *known, Reply(calls=(order.writes("plan.json", text),)), order.said("Two tasks." if first else "One more.")


def mends(order: Ordered) -> Sequence[Reply | Fault]:
    path = str(order.project / "temperature.py")
    reads, old, new = Reply(calls=(ReadCall(path),)), BROKEN.splitlines()[1], MENDED.splitlines()[1]
    return reads, Reply(calls=(EditCall(path, old, new),)), *order.told("It is exact now.")


def adds(order: Ordered) -> Sequence[Reply | Fault]:
    """Keeps a note by its shell; reports as text."""
    note = Reply(calls=(ShellCall(f"printf '%s\\n' '{json.dumps(NOTE)}' >> {order.folder}/debug-log.ndjson"),))
    return note, Reply(calls=(order.changes("kelvin.py", KELVIN),)), order.said("to_kelvin is there.")


def extends(order: Ordered) -> Sequence[Reply | Fault]:
    module = Reply(calls=(order.changes("rankine.py", RANKINE),))
    return module, Reply(calls=(order.changes("tests/test_rankine.py", TEST),)), *order.told("to_rankine is there.")


def told(project: Path) -> Path:
    """A folder beside the project that agents may write to, whatever confines them."""
    place = project.parent / "told"
    place.mkdir(exist_ok=True)
    return place


def stuck_once(flag: Path, then: Course) -> Course:
    """Its first command does not end, whoever begins with it; later ones do."""
    command = Reply(calls=(ShellCall(f"test -e {flag} || {{ touch {flag}; sleep 300; }}"),))
    return lambda order: (command, *then(order))


def judges(order: Ordered) -> Sequence[Reply | Fault]:
    return *files(order, "summary.md"), *order.told("All that was asked for is met.")


GOOD: Mapping[str, Course] = {
    "ra": analyses, "ep.explore": explores, "ep.plan": plans, "cd.implement TASK-001": mends,
    "cd.implement TASK-002": adds, "cd.implement TASK-003": extends, "vas": judges,
}  # fmt: skip


CASTS: Mapping[str, Mapping[str, str]] = {
    "mixed": {"ra": "codex", "ep": "opencode", "cd": "codex", "vas": "qwen"},
    "other": {"ra": "qwen", "ep": "codex", "cd": "opencode", "vas": "codex"},
    "third": {"ra": "opencode", "ep": "qwen", "cd": "qwen", "vas": "opencode"},
    "fourth": {"ra": "gemini", "ep": "qwen", "cd": "gemini", "vas": "codex"},
}
"""Who plays which role."""

STRAYED = "notes.txt"
"""What a role writes into the project that may not."""


def strays(order: Ordered) -> tuple[Reply, ...]:
    """After the report: some end their turn where they are refused."""
    project = order.folder.parents[3]
    return Reply(calls=(WriteCall(str(project / STRAYED), "mine\n"),)), Reply(text="That is all.")


def courses(flag: Path, roles: Mapping[str, str]) -> Mapping[str, Course]:
    """In the first iteration ra, ep and cd, which has a copy to work in, stray into the project.

    In the second a command does not end once. As cd only qwen asks before it strays: opencode asks nobody here, gemini
    knows no other folder, and codex may write in the system's folder for what is temporary, where tests lie.
    """

    def straying(course: Course) -> Course:
        return lambda order: (*course(order)[:-1], *strays(order)) if order.iteration == 1 else course(order)

    return {
        **GOOD, "ra": straying(analyses), "ep.explore": straying(explores),
        "cd.implement TASK-001": straying(mends) if roles["cd"] == "qwen" else mends,
        "cd.implement TASK-003": stuck_once(flag, extends),
    }  # fmt: skip


class Cast(Ground):
    """A project whose only run is a cycle, with all of its agents in one home."""

    @property
    def _folder(self) -> Path:
        return self.project / ".workflow" / ".cycle"

    @property
    def progress(self) -> Path:
        return self._folder / f"{self.loop_id}.progress"

    @property
    def transcript(self) -> list[Json]:
        """Of all roles."""
        return [line for path in sorted(self.progress.glob("*/transcript.ndjson")) for line in objects(path)]

    @property
    def board(self) -> list[Json]:
        return objects(self.progress / "coordination" / "discoveries.ndjson")

    @property
    def incidents(self) -> dict[str, str]:
        """The last of each kind."""
        return {each["kind"]: each["message"] for each in self.state["engine"]["incidents"]}

    @property
    def sessions(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self.state["engine"]["sessions"]
        return found

    @property
    def roles(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self.state["engine"]["roles"]
        return found

    def first(self, roles: Mapping[str, str]) -> None:
        """One iteration, in a process of its own."""
        rested = self.run("cycle", "run", GOAL, "--auto", *words(roles))
        assert rested.code == 0, (rested.stderr, self.incidents)

    async def second(self, flag: Path) -> None:
        """Another one, whose process is killed when the flag is there; and a third process that goes on."""
        async with self.running("cycle", "run", "--cycle-id", self.loop_id, "--extend", MORE, "--auto") as runner:
            await until(lambda: flag.exists() or runner.poll() is not None, timeout=120)
            assert runner.poll() is None, (self.agent.home / "runner").read_text()
            runner.kill()
            runner.wait()
            rested = self.run("cycle", "run", "--cycle-id", self.loop_id, "--auto")
        assert rested.code == 0, (rested.stderr, self.incidents)


def check_first(place: Cast) -> None:
    """One iteration was enough; each role wrote into its own folder and nowhere else."""
    assert place.rest == ("completed", "succeeded")
    assert place.state["current_iteration"] == 1
    assert place.touched() == DONE
    written = {str(path.relative_to(place.progress)) for path in place.progress.glob("*/*.md")}
    assert written >= {*(f"ra/{name}.md" for name in ("requirements", "edge-cases")), "ep/exploration.md"}
    assert "Good enough." in (place.progress / "vas" / "summary.md").read_text()
    assert "R2 to_kelvin" in place.state["requirements"]["specification"]
    assert NOTE in objects(place.progress / "cd" / "debug-log.ndjson")
    [command] = [each for each in place.board if each["type"] == "test_command" and each["agent"] == "ep"]
    assert command["data"] == {"unit": "python -m pytest -q"}
    keys = {f"{role}/{place.roles[role]}" for role in ("ra", "ep", "vas")}
    assert set(place.sessions) == {*keys, *(f"cd-{lane}/{place.roles['cd']}" for lane in (1, 2))}
    assert "no_report" not in place.incidents
    refused = [line for line in place.heard("permission") if not line["allowed"]]
    straying = {role for role in ("ra", "ep") if place.roles[role] != "opencode"}
    straying |= {"cd"} if place.roles["cd"] == "qwen" else set()
    assert {line["role"] for line in refused} == straying, refused
    strayed = "opencode" in (place.roles["ra"], place.roles["ep"]) and landlock_level() != "processes"
    assert ("put_back" in place.incidents) == strayed


def check_second(place: Cast, kept: Mapping[str, str]) -> None:
    """The sessions of before, loaded by each of two further processes where the agent can."""
    assert place.rest == ("completed", "succeeded")
    assert place.touched() == EXTENDED
    assert [each["resolved"] for each in place.state["iterations"]] == [True, True]
    loading = {key: name for key, name in kept.items() if not key.endswith("/gemini")}
    assert {key: place.sessions[key] for key in loading} == loading
    loaded = [(line["role"], line["session"]) for line in place.heard("session") if line["loaded"]]
    assert set(loaded) >= {
        (key.partition("/")[0].partition("-")[0], name) for key, name in loading.items() if key[:4] != "cd-2"
    }


def check_both(place: Cast, model: Model) -> None:
    """What each agent sent to its model in the second iteration began with the first."""
    asked = [exchange.conversation for exchange in model.turns if exchange.conversation is not None]
    for role in ("ra", "ep", "cd", "vas"):
        if place.roles[role] == "gemini":
            continue
        newest = [each for each in asked if (o := ordered(each)).role == role and o.iteration == 2][-1]
        told = [message.text for message in newest.earlier if message.who == "user" and "# Order: " in message.text]
        assert any(", iteration 1" in text for text in told), role
    assert place.state["requirements"]["version"] == "1.1.0"
    assert (place.progress / "ra/history/requirements-v1.0.0.md").exists()


def cast(roles: Mapping[str, str], modules: Path, model: str, project: Path, fence: Fence) -> Cast:
    """These agents for these roles, on that model; the project is laid out and committed."""
    home = project.parent / "home"
    agents = [real_agent(name, modules, model, home) for name in sorted(set(roles.values()))]
    together = {name: value for agent in agents for name, value in agent.environment.items()}
    everybody = RealAgent("cast", ("",), together, home, None)
    ground(everybody, project, fence, FILES)
    place = Cast(everybody, project, fence)
    allowed = json.dumps({"edit": "allow", "bash": "allow"})
    place.settings(**{"agents.opencode.env.OPENCODE_PERMISSION": allowed, "sandbox_paths": [f"{told(project)}:rw"]})
    return place


def words(roles: Mapping[str, str]) -> list[str]:
    """As they stand on the command line."""
    return [word for role, name in roles.items() for word in ("--role", f"{role}={name}")]
