"""The MCP server that an agent reports through, over stdio: `python -m loopwright.mcp.report FOLDER`.

Started by the agent, once for each session; it ends when the agent closes its input.
"""

import gc
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from loopwright import __version__
from loopwright.agents.letterbox import Letter, Letterbox
from loopwright.domain.errors import Invalid
from loopwright.domain.tool_calls import TOOLS, answer, read_call
from loopwright.mcp.schemas import input_schema
from loopwright.mcp.stdio import Json, Server

NAME = "loopwright"
INSTRUCTIONS = "Report to the engine that gives you your orders. End every turn by calling report_action_result once."
BY_TEXT = "end your answer with the ACTION_RESULT block of your order instead"


def take(box: Letterbox, tool: str, arguments: dict[str, JsonValue]) -> str:
    """Keeps one call, and says so. Invalid, in words that let the caller mend it at once."""
    order = box.order()
    if order is None:
        raise Invalid(f"There is no order to report on here; {BY_TEXT}.")
    call = read_call(order, tool, arguments)
    try:
        box.put(Letter(turn=order.turn, tool=tool, arguments=call.model_dump(mode="json")))
    except OSError as error:
        raise Invalid(f"Not recorded: {error.strerror or error}; {BY_TEXT}.") from error
    return answer(call)


def server(box: Letterbox) -> Server:
    about = {"serverInfo": {"name": NAME, "version": __version__}, "instructions": INSTRUCTIONS}
    tools = [{"name": n, "description": call.words, "inputSchema": input_schema(call)} for n, call in TOOLS.items()]

    def listed() -> list[Json]:
        with suppress(OSError):  # then only nobody learns that the agent knows them
            box.know()
        return tools

    return Server(about, listed, partial(take, box))


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever interrupts the agent wants no traceback from here
    if len(sys.argv) != 2:
        sys.exit("usage: python -m loopwright.mcp.report FOLDER")
    gc.set_threshold(50_000)  # loading makes many objects that stay
    try:
        server(Letterbox(Path(sys.argv[1]))).serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        os._exit(0)  # nobody reads any more: Python would fail to write what is left, and say so


if __name__ == "__main__":
    main()
