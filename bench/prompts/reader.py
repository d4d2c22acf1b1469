"""An ACP agent without a model: it knows what is wrong, and does only what the message it got would let it do.

    python -S -E reader.py FILE

FILE is JSON: `policy`, `file`, `right`, `wrong`, `guess` (see `bench/prompts/projects.py`), and `log`, to which each
message is appended as a line of JSON. It is run as a script, so it imports nothing of ours.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any  # parsed JSON

_PLACE = re.compile(r"(?<![\w/])((?:[\w-]+/)*[\w-]+\.py):(\d+)")
_VALUES = re.compile(r"\b\w+Error: |^E +assert ", re.MULTILINE)
_EDIT = re.compile(r"```diff\n--- a/(?P<file>\S+)\n\+\+\+ \S+\n(?P<hunk>@@.*?)\n```", re.DOTALL)
EDITS_BEGIN = "Edits that made these tests pass on a copy"


class Reader:
    """`file`, `right`, `wrong`, `guess`: the fault. Not every policy uses what it remembers."""

    def __init__(self, given: dict[str, Any], root: Path) -> None:
        self.root, self.file = root, root / given["file"]
        self.right: str = given["right"]
        self.wrong: str = given["wrong"]
        self.guess: str = given["guess"]
        self.looked_at: set[tuple[str, int]] = set()
        self.tried: set[str] = set()
        self.play: Callable[[str], str] = getattr(self, given["policy"])

    def line(self, message: str) -> str:
        """Edits the first line that it has not dealt with; where it sees values, it knows how, else it guesses."""
        for name, number in self._places(message):
            if (name, number) in self.looked_at:
                continue
            if name != self.file.name or number not in self._fault_lines():
                self.looked_at.add((name, number))
                return _touch(self.root / name, number)
            choices = [self.right] if _VALUES.search(message) else [self.guess, self.right]
            choice = next((one for one in choices if one not in self.tried), self.right)
            self.tried.add(choice)
            return self._put(choice)
        return ""

    def assertion(self, message: str) -> str:
        """Mends it once it sees a failure with its values, and the file's name; else it does nothing."""
        names = {name for name, _ in self._places(message)}
        return self._put(self.right) if _VALUES.search(message) and self.file.name in names else ""

    def forgetful(self, message: str) -> str:
        """Tries one thing after the other, and knows only from the message what it has tried."""
        if self.file.name not in {name for name, _ in self._places(message)}:
            return ""
        told = [line[1:] for line in message.partition(EDITS_BEGIN)[0].splitlines() if line[:1] in "+-"]
        for choice in (self.guess, self.right):
            if not any(choice.splitlines()[-1].strip() in line for line in told):
                return self._put(choice)
        return self._put(self.guess)

    def evidence(self, message: str) -> str:
        """Takes the first edit that the message shows to have worked."""
        found = _EDIT.search(message, max(message.find(EDITS_BEGIN), 0)) if EDITS_BEGIN in message else None
        if found is None:
            return ""
        lines = [line for line in found["hunk"].splitlines() if not line.startswith("@@")]
        old = "\n".join(line[1:] for line in lines if line[:1] != "+")
        new = "\n".join(line[1:] for line in lines if line[:1] != "-")
        path = self.root / found["file"]
        text = path.read_text()
        if old not in text:
            return ""
        path.write_text(text.replace(old, new, 1))
        return f"took the edit of {path.name}"

    def left(self) -> str:
        """The product as it is now."""
        return "".join(path.read_text() for path in sorted(self.root.glob("*.py")))

    def _fault_lines(self) -> range:
        text, now = self.file.read_text(), self._now()
        first = text[: text.index(now)].count("\n") + 1
        return range(first, first + now.count("\n") + 1)

    def _now(self) -> str:
        """What stands at the fault's place."""
        text = self.file.read_text()
        known = (self.right, self.wrong, self.guess)
        return max((one for one in known if one in text), key=len)

    def _put(self, text: str) -> str:
        self.file.write_text(self.file.read_text().replace(self._now(), text, 1))
        return f"put {text.splitlines()[-1].strip()} into {self.file.name}"

    def _places(self, message: str) -> Iterator[tuple[str, int]]:
        """Lines of the product that the message names, in its order, each once."""
        places = dict.fromkeys((name, int(number)) for name, number in _PLACE.findall(message))
        return (place for place in places if not place[0].startswith("test_") and (self.root / place[0]).exists())


def _touch(file: Path, number: int) -> str:
    lines = file.read_text().splitlines()
    lines[number - 1 : number] = [f"{line}  # looked at" for line in lines[number - 1 : number]]
    file.write_text("\n".join(lines) + "\n")
    return f"looked at {file.name}:{number}"


def take_turn(reader: Reader, text: str) -> tuple[str, str]:
    """The action that was ordered, and what the reader did; it plans nothing."""
    action = re.findall(r"\bOrder: (INIT|DEVELOP|DEBUG)\b", text)[-1]
    return action, reader.play(text) if action != "INIT" else ""


def answer_prompt(reader: Reader, text: str, log: Path) -> str:
    """The reader's turn, written down, as the report that both generations of orders ask for."""
    action, did = take_turn(reader, text)
    with log.open("a") as file:
        file.write(json.dumps({"text": text, "left": reader.left()}) + "\n")
    status = "success" if did or action == "INIT" else "failed"
    return (
        f"ACTION_RESULT:\n- action: {action}\n- status: {status}\n- message: {did or 'I was not told enough'}\n"
        "- state_updates: {}\n\nFILES_UPDATED:\n\nNEXT_ACTION_NEEDED: VALIDATE\n"
    )


def send(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    reader = Reader(given, Path())
    for line in sys.stdin:
        asked = json.loads(line)
        match asked.get("method"):
            case "initialize":
                send(id=asked["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                send(id=asked["id"], result={"sessionId": "reader"})
            case "session/prompt":
                text = "".join(block.get("text", "") for block in asked["params"]["prompt"])
                content = {"type": "text", "text": answer_prompt(reader, text, Path(given["log"]))}
                update = {"sessionUpdate": "agent_message_chunk", "content": content}
                send(method="session/update", params={"sessionId": "reader", "update": update})
                send(id=asked["id"], result={"stopReason": "end_turn"})
            case _ if "id" in asked:
                send(id=asked["id"], error={"code": -32601, "message": "not known here"})


if __name__ == "__main__":
    main()
