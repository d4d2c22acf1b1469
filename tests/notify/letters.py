"""A letter, and a notifier that keeps what it is given."""

from dataclasses import dataclass, field

from loopwright.core.notices import Notification

LETTER = Notification(
    event="needs_person", text="Mend it: asks: Which colour?", loop_id="loop-v2-20260122T100000-0123abcd",
    title="Mend it", project="/project", status="paused", question="Which colour?", options=("red", "blue"),
    current_iteration=2, max_iterations=10, at="2026-01-22T10:00:00+08:00",
)  # fmt: skip


@dataclass
class KeptLetters:
    """A fake of ports.Notifier; `problem` is what it answers."""

    problem: str | None = None
    letters: list[Notification] = field(default_factory=list)

    async def notify(self, letter: Notification) -> str | None:
        self.letters.append(letter)
        return self.problem
