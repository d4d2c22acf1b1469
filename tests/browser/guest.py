"""A coding agent over ACP that plays turns from a JSON file: run as a script.

A turn is a list of steps of the misbehaving agent. The next one in the file is played, by whichever process asks for
it; after the last one the agent only says hello.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.misbehaving.program import Agent, Message


class Guest(Agent):
    def __init__(self, turns: Path) -> None:
        super().__init__({})
        self.turns = turns

    def _prompt(self, message: Message) -> None:
        steps, *rest = json.loads(self.turns.read_text(encoding="utf-8")) or [[["say", "Hello."]]]
        self.turns.write_text(json.dumps(rest), encoding="utf-8")
        message["params"]["prompt"][0]["text"] = json.dumps(steps)
        super()._prompt(message)


if __name__ == "__main__":
    Guest(Path(sys.argv[1])).run()
