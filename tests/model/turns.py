"""The scripted agent's turns, played by a model: what that one writes by itself is written with an agent's tools."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from loopwright.agents.scripted import FOLDER, ScriptedTurn
from tests.model.roles import ordered
from tests.model.script import Conversation, Fault, ReadCall, Reply, Script, ShellCall, WriteCall, steps

DYING = "tail -f /dev/null"
"""The command of a turn that dies: whoever finds it running kills the agent."""


def play_turns(turns: Sequence[ScriptedTurn], project: Path) -> Script:
    """A turn for each new text of the user: the first of those left that fits it. LookupError where none does."""
    left, playing, lock = list(turns), dict[str, Script](), threading.Lock()

    def script(conversation: Conversation) -> Reply | Fault:
        text = conversation.user
        with lock:
            if text not in playing:
                turn = next((turn for turn in left if turn.to in text), None)
                if turn is None:
                    raise LookupError(f"no turn is left for: {text[-400:]!r}")
                left.remove(turn)
                playing[text] = steps(*_replies(turn, conversation, project))
        return playing[text](conversation)

    return script


def _replies(turn: ScriptedTurn, conversation: Conversation, project: Path) -> Iterator[Reply]:
    if turn.dies:
        yield Reply(calls=(ShellCall(DYING),))
        return
    for name, text in turn.files.items():
        order = ordered(conversation) if turn.to else None
        place = order.project if order else project
        path = order.folder / name.removeprefix(FOLDER) if order and name.startswith(FOLDER) else place / name
        if path.exists():  # some change no file that they have not read
            yield Reply(calls=(ReadCall(str(path)),))
        yield Reply(calls=(WriteCall(str(path), text or ""),))
    yield Reply(text=turn.text)
