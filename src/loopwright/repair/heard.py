"""What the first run of a project has told so far, from however many processes."""

import marshal
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

from .forks import Answer
from .session import Outcome
from .telling import LATE
from .trace import IMPORT, Line
from .unloadable import Broken

ENDED = "the interpreter's end"
_FACTS_FROM = 12
_SAID = 400


@dataclass
class Heard:
    """Numbers are places in the order of collection. `until`: the moment before which the next message must come.

    `fatal`: tests that end the interpreter or do not react, and what became of it; `texts`: sources of failing tests.
    """

    hard: float
    until: float
    nodes: Sequence[str] = ()
    keys: Sequence[str] = ()
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    lines: dict[int, set[Line]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    broken: set[Broken] = field(default_factory=set)
    troubles: list[str] = field(default_factory=list)
    fatal: dict[int, str] = field(default_factory=dict)
    loaded: bool = False
    done: bool = False
    _under_way: int = IMPORT
    _last: dict[int, Line] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    def hear(self, message: Answer) -> None:
        """Takes one message in."""
        if "begins" in message:
            self._under_way = message["begins"]
            self.until = min(self.hard, time.monotonic() + message["within"])
            return
        if "line" in message:
            file, line = message["line"]
            self._last[message["number"]] = (file, line)
            self.lines.setdefault(message["number"], set()).add((file, line))
            return
        self.until = self.hard
        if "outcome" in message:
            self._outcome(message)
        elif "ended" in message:
            self._ended(message["number"], message["ended"], message["text"])
        else:
            self._session(message)

    def suspected(self, ended: str) -> int:
        """After the end of a process: the number of the test to go on with, which is to blame."""
        number = self._under_way
        if number == IMPORT:
            return 0
        if number in self.outcomes:
            return number + 1
        self.fatal[number] = ended
        return number

    def stopped(self, ended: str) -> "Heard":
        """Says what kept the tests from being loaded, and what became of those that end the interpreter."""
        if not self.loaded and not self.done:
            last = self._last.get(IMPORT)
            where = f"; the last line of the project that ran is line {last[1]} of {last[0]}" if last else ""
            how = "that did not end in time" if ended == LATE else f"that ended the interpreter ({ended})"
            self.troubles.append(f"the tests could not be loaded: {how}{where}")
        for number, words in self.fatal.items():
            if number not in self._seen:
                self._ends(number, f"{words}, behind the other tests and not alone")
        return self

    def save(self, path: Path) -> None:
        """Writes down what a later search for the same files would measure again."""
        outcomes = {number: astuple(outcome) for number, outcome in self.outcomes.items()}
        plain = {
            "nodes": list(self.nodes), "keys": list(self.keys), "outcomes": outcomes, "lines": self.lines,
            "texts": self.texts, "broken": [tuple(one) for one in self.broken], "troubles": self.troubles,
            "fatal": self.fatal,
        }  # fmt: skip
        path.write_bytes(marshal.dumps(plain))

    @classmethod
    def saved(cls, path: Path) -> "Heard":
        plain = marshal.loads(path.read_bytes())
        outcomes = {number: Outcome(*outcome) for number, outcome in plain.pop("outcomes").items()}
        broken = {Broken(*one) for one in plain.pop("broken")}
        return cls(hard=0.0, until=0.0, outcomes=outcomes, broken=broken, loaded=True, done=True, **plain)

    def _outcome(self, message: Answer) -> None:
        number = message["number"]
        self.outcomes[number] = Outcome(*message["outcome"])
        self.lines.setdefault(number, set()).update((file, line) for file, line in message["lines"])
        self._text(number, message["text"])

    def _ended(self, number: int, words: str, text: str) -> None:
        if number not in self.outcomes:
            self.fatal[number] = words
            self._seen.add(number)
            self._ends(number, words)
            self._text(number, text)

    def _ends(self, number: int, words: str) -> None:
        frames = [(*self._last[number], "")] if number in self._last else []
        late = words.startswith(LATE)
        self.outcomes[number] = Outcome("failed", 0.0, "TimeUp" if late else ENDED, words, frames, waited=late)

    def _text(self, number: int, text: str) -> None:
        if text and len(self.texts) < _FACTS_FROM:
            self.texts[number] = text

    def _session(self, message: Answer) -> None:
        """Loaded, or done; a session that did not get as far as the tests said why."""
        self.broken |= {Broken(*one) for one in message["broken"]}
        self.troubles = list(message["troubles"])
        if message["said"]:
            said = " ".join(message["said"].split())[-_SAID:]
            self.troubles.append(f"pytest did not get as far as the tests: {said}")
        if "keys" in message:
            self.loaded = True
            self.nodes, self.keys = message["nodes"], message["keys"]
            self.lines.setdefault(IMPORT, set()).update((file, line) for file, line in message["imported"])
        if "done" in message:
            self.done = True
            self.until = time.monotonic()  # what a test started may hold the pipe open
