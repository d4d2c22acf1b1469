"""A model that plays the roles of a cycle: each is told apart by the order in its message. Keeps no state."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.model.script import Conversation, Fault, McpCall, Reply, Script, WriteCall, steps

_ORDER = re.compile(r"^# Order: (?P<step>\w+\.\w+)(?: (?P<task>\S+))?, iteration (?P<iteration>\d+)$", re.MULTILINE)
_PROJECT = re.compile(r"^- (?:Work only in )?(?P<project>/\S+?)(?: is read-only|\. )", re.MULTILINE)
_FOLDER = re.compile(r"own folder (?:is )?(?P<folder>/\S+?);", re.MULTILINE)


@dataclass(frozen=True)
class Ordered:
    """What a message asks for; `project` is where the role works, `folder` its own."""

    step: str
    task: str | None
    iteration: int
    project: Path
    folder: Path
    text: str

    @property
    def role(self) -> str:
        return self.step.partition(".")[0]

    def writes(self, name: str, text: str) -> WriteCall:
        """A file of the role's own."""
        return WriteCall(str(self.folder / name), text)

    def changes(self, name: str, text: str) -> WriteCall:
        """A file of the project, or of the copy of it that a task is worked on in."""
        return WriteCall(str(self.project / name), text)

    def told(self, summary: str, status: str = "success", **lists: object) -> tuple[Reply, Reply]:
        """The report through the tool."""
        arguments = {"phase": self.role, "status": status, "summary": summary, **lists}
        return Reply(calls=(McpCall("loopwright", "report_phase_result", arguments),)), Reply(text=summary)

    def said(self, summary: str, status: str = "success", **lists: Sequence[str]) -> Reply:
        """The report as text."""
        lines = [f"PHASE_RESULT:\n- phase: {self.role}\n- status: {status}\n- summary: {summary}"]
        lines += ["\n".join([f"- {name}:", *(f"  - {one}" for one in each)]) for name, each in lists.items()]
        return Reply(text="\n".join(lines) + "\n")


Course = Callable[[Ordered], Sequence[Reply | Fault]]


def ordered(conversation: Conversation) -> Ordered:
    """The order in the newest text of the user, and the folders as they were told last. LookupError where none is."""
    text = conversation.user
    told = [message.text for message in reversed(conversation.history) if message.who == "user"]
    order = _ORDER.search(text)
    project, folder = (next(filter(None, map(words.search, told)), None) for words in (_PROJECT, _FOLDER))
    if order is None or project is None or folder is None:
        raise LookupError(f"this orders no step of a cycle: {text[:200]!r}")
    own = Path(folder["folder"])
    place = Path(project["project"])
    return Ordered(order["step"], order["task"], int(order["iteration"]), place, own, text)


def by_step(courses: Mapping[str, Course]) -> Script:
    """The course of the order: by step and task (`cd.implement TASK-001`), by step, or by role. LookupError."""

    def script(conversation: Conversation) -> Reply | Fault:
        order = ordered(conversation)
        names = (f"{order.step} {order.task}", order.step, order.role)
        course = next((courses[name] for name in names if name in courses), None)
        if course is None:
            raise LookupError(f"no course for {names[0]}")
        return steps(*course(order))(conversation)

    return script
