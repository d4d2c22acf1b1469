"""An MCP server over stdio with one tool, as small as the agents accept it: python mcp_server.py FILE."""

import json
import sys
from collections.abc import Mapping

TOOL = {
    "name": "note",
    "description": "Takes a note.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def serve(path: str) -> None:
    """Appends the text of every call to the file, until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        answer: Mapping[str, object] = {"error": {"code": -32601, "message": "no such method"}}
        if request["method"] == "initialize":
            version = request["params"]["protocolVersion"]
            server = {"name": "notes", "version": "1"}
            answer = {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}}
        elif request["method"] == "tools/list":
            answer = {"result": {"tools": [TOOL]}}
        elif request["method"] == "tools/call":
            with open(path, "a", encoding="utf-8") as notes:
                notes.write(request["params"]["arguments"]["text"] + "\n")
            answer = {"result": {"content": [{"type": "text", "text": "noted"}]}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
