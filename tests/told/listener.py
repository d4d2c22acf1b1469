"""An agent that writes down whatever it hears, a line of JSON each: JSON lines on stdin and stdout, no library.

Run as a script: argv[1] is the file, argv[2] the seconds of a turn, argv[3] `steers` where it can be told something
within one. A turn changes app.txt and succeeds.
"""

import json
import os
import queue
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]  # Any: JSON


class Listener:
    def __init__(self, heard: str, seconds: str, steers: str = "") -> None:
        self.heard, self.seconds, self.steers = heard, float(seconds), steers == "steers"
        self.inbox: queue.Queue[Json | None] = queue.Queue()
        self.turns, self.action = 0, "INIT"

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        while (message := self.inbox.get()) is not None:
            self._serve(message)

    def _read(self) -> None:
        for line in sys.stdin:
            self.inbox.put(json.loads(line))
        self.inbox.put(None)

    def _serve(self, message: Json) -> None:
        match message.get("method"):
            case "initialize":
                meta = {"_meta": {"steering": {"supported": True}}} if self.steers else {}
                self._answer(message, {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, **meta})
            case "session/new":
                self._answer(message, {"sessionId": f"s-{os.getpid()}"})
            case "session/load":
                self._answer(message, {})
            case "session/prompt":
                self._play(message)
            case "_session/steering":
                self._answer(message, {"outcome": "promptRequired"})
            case _ if "id" in message:
                self._send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})

    def _play(self, order: Json) -> None:
        text = order["params"]["prompt"][0]["text"]
        self._write_down("prompt", text)
        if "cut off for this" not in text:
            self.action = "INIT" if "Plan the work" in text else "DEVELOP"
        end = time.monotonic() + self.seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self.inbox.get(timeout=left)
            except queue.Empty:
                break
            if message is None:
                raise SystemExit
            if message.get("method") == "_session/steering":
                self._write_down("steered", message["params"]["prompt"][0]["text"])
                self._answer(message, {"outcome": "injected"})
            elif message.get("method") == "session/cancel":
                self._answer(order, {"stopReason": "cancelled"})
                return
        self._succeed(order)

    def _succeed(self, order: Json) -> None:
        self.turns += 1
        Path("app.txt").write_text(f"{os.getpid()} {self.turns}")
        report = (
            f"ACTION_RESULT:\n- action: {self.action}\n- status: success\n- message: done\n\n"
            "FILES_UPDATED:\n- app.txt: changed\n\nNEXT_ACTION_NEEDED: DEVELOP\n"
        )
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": report}}
        session = order["params"]["sessionId"]
        self._send({"method": "session/update", "params": {"sessionId": session, "update": chunk}})
        self._answer(order, {"stopReason": "end_turn"})

    def _write_down(self, how: str, text: str) -> None:
        with open(self.heard, "a", encoding="utf-8") as file:
            file.write(json.dumps({"how": how, "told": re.findall(r"word-\d+-word", text)}) + "\n")
            file.flush()

    def _answer(self, request: Json, result: Json) -> None:
        self._send({"id": request["id"], "result": result})

    def _send(self, message: Json) -> None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    Listener(*sys.argv[1:]).run()
