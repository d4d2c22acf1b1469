"""What an agent is told in the course of a loop, word by word; tests/cycle/test_messages.py does the same for roles.

A change has to be meant.

`PYTHONPATH=. python -m pytest tests/golden/test_messages.py --tier all` writes a file that is not there.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.protocol import Message
from tests.actions.test_debug_message import GRADE, MENDED, TESTS, driven
from tests.repair.cases import write
from tests.stage import MakeStage, said

FOLDER = Path(__file__).parent / "messages"

CHARACTERS = 4
"""Of a token, about."""

FIRST, LATER, DEBUG = 400, 110, 1500
"""Tokens: what is around the first order of a session, around a later one, and an order to debug."""

WEAKENED = TESTS.replace('assert grade(60) == "B"', 'assert grade(60) in "BC"')
WRONG = GRADE.replace('"C"', '"b"')


def told(messages: Iterable[Message]) -> list[str]:
    """As a session hears them that had all of the first; none of it has been lost meanwhile."""
    return [message.short if n and message.short else message.text for n, message in enumerate(messages)]


def masked(text: str, project: Path) -> str:
    text = text.replace(str(project), "/project").replace(sys.executable, "/project/.venv/bin/python")
    text = re.sub(r"loop-v2-\d+T\d+-[0-9a-f]+|cycle-v1-\d+T\d+-[0-9a-f]+", "ID", text)
    text = re.sub(r"/\S+\.lanes/ID/\d+/project", "/lane", text)
    text = re.sub(r"\d+ of \d+ small edits", "N small edits", text)
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def compare(name: str, texts: Iterable[str]) -> None:
    path = FOLDER / name
    now = "".join(f"{'=' * 40} {n}\n{text}\n" for n, text in enumerate(texts, 1))
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8")


def tokens(text: str) -> float:
    return len(text) / CHARACTERS


def around(text: str, heading: str) -> str:
    """A message without its order."""
    before, _, rest = text.partition(f"# Order: {heading}")
    return before + rest[rest.find("When the order is carried out, report") :]


async def test_a_loop(stage: MakeStage) -> None:
    made = stage(
        ScriptedTurn(text=said("INIT", tasks=[{"description": "Let grade(60) be B, as test_grade.py checks it"}])),
        ScriptedTurn(text=said("DEVELOP", message="60 points are a B now"), files={"test_grade.py": WEAKENED}),
        ScriptedTurn(text=said("DEBUG", message="It was the case of the letter"), files={"grade.py": WRONG}),
        ScriptedTurn(text=said("DEBUG"), files={"grade.py": MENDED}),
    )
    (made.project / "app.txt").unlink()
    write({"grade.py": GRADE, "test_grade.py": TESTS, "AGENTS.md": "Plain words.\n"}, made.project)
    state = await driven(made, goal="Grade 60 points as a B")
    assert state.engine.outcome == "succeeded"
    texts = [masked(text, made.project) for text in told(made.agent.messages)]
    compare("loop.txt", texts)
    compare("loop_by_text.txt", [made.agent.messages[0].by_text, made.agent.messages[-1].by_text])
    init, develop, refused, again = texts
    assert tokens(around(init, "INIT")) <= FIRST
    assert tokens(around(develop, "DEVELOP")) <= LATER
    assert all(tokens(text) <= DEBUG for text in (refused, again))
