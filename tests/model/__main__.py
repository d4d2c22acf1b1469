"""The scripted model by hand, for an agent in another terminal: python -m tests.model

The newest text of the user decides. Lines such as `$ make test` are run by the agent's shell, one after the other;
a line `! USAGE_LIMIT` is trouble, by the names of script.Fault; without any the model just says hello.
"""

import re
import threading

from tests.model.script import Conversation, Fault, Reply, ShellCall, steps
from tests.model.server import Exchange, serving


def directed(conversation: Conversation) -> Reply | Fault:
    """What the lines of the newest text ask for."""
    if trouble := re.search(r"^! (\w+)$", conversation.user, re.MULTILINE):
        return Fault[trouble[1]]
    commands = re.findall(r"^\$ (.+)$", conversation.user, re.MULTILINE)
    script = steps(*(Reply(calls=(ShellCall(command),)) for command in commands), Reply(text="Hello."))
    return script(conversation)


def show(exchange: Exchange) -> None:
    newest = exchange.conversation.history[-1].text if exchange.conversation else ""
    print(f"{exchange.method} {exchange.path} [{exchange.dialect}] {newest[-100:]!r} -> {exchange.answer}", flush=True)


if __name__ == "__main__":
    with serving(directed) as model:
        model.on_exchange = show
        print(model.url, flush=True)
        threading.Event().wait()
