"""A small coding agent over ACP that asks before it edits: JSON lines, no library. It is run as a script."""

import json
import re
import sys
from pathlib import Path
from typing import Any

Message = dict[str, Any]  # Any: JSON

PLAN = json.dumps({"tasks": [{"description": "Make app.txt say good"}]})
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def send(message: Message) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> Message:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)  # type: ignore[no-any-return]  # JSON


def edits(file: Path) -> bool:
    """Asks, and does what it was allowed."""
    call = {"toolCallId": f"edit {file}", "title": f"Edit {file.name}", "kind": "edit", "status": "pending"}
    update = {**call, "locations": [{"path": str(file)}]}
    send({"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "tool_call", **update}}})
    params = {"sessionId": "s", "toolCall": update, "options": OPTIONS}
    send({"id": f"ask {file}", "method": "session/request_permission", "params": params})
    while (answer := receive()).get("id") != f"ask {file}":
        pass
    allowed: bool = answer["result"]["outcome"].get("optionId") == "yes"
    if allowed:
        file.write_text("good")
    return allowed


def turn(prompt: str) -> str:
    found = re.search(r"^- action: (\w+)", prompt, re.MULTILINE)
    action = found[1] if found else "INIT"
    allowed = edits(Path("app.txt").absolute())
    updates = PLAN if action == "INIT" else "{}"
    message = "written" if allowed else "I was not allowed to"
    return f"ACTION_RESULT:\n- action: {action}\n- status: success\n- message: {message}\n- state_updates: {updates}\n"


def main() -> None:
    while True:
        message = receive()
        match message.get("method"):
            case "initialize":
                able: Message = {"protocolVersion": 1, "agentCapabilities": {}}
                send({"id": message["id"], "result": able})
            case "session/new":
                send({"id": message["id"], "result": {"sessionId": "s"}})
            case "session/prompt":
                said = {"type": "text", "text": turn(message["params"]["prompt"][0]["text"])}
                update = {"sessionUpdate": "agent_message_chunk", "content": said}
                send({"method": "session/update", "params": {"sessionId": "s", "update": update}})
                send({"id": message["id"], "result": {"stopReason": "end_turn"}})
            case _ if "id" in message and "method" in message:
                send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    main()
