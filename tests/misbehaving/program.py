"""The program: JSON lines on stdin and stdout, no library. A prompt is a list of steps as JSON; argv[1] how it begins.

It is run as a script, so it imports nothing of ours.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Message = dict[str, Any]  # Any: JSON

OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
FOR_EVER = 10_000.0


class Cancelled(Exception):
    """The client has cancelled the turn."""


class Agent:
    """`how` is what argv says: start, words, seconds, load, new, modes, config, version, can_load."""

    def __init__(self, how: Message) -> None:
        self.how = how
        self.inbox: queue.Queue[Message | None] = queue.Queue()
        self.later: list[Message] = []
        self.answers: dict[int, Message] = {}
        self.asked = 0
        self.prompts = 0
        self.session = f"session-{os.getpid()}"
        self.mode = "calm"
        self.is_stubborn = self.was_told = False
        self.after = ""
        self.later_words: threading.Timer | None = None
        self.result: Message = {}
        self.servers: list[Message] = []
        self.beside: list[str] = []

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        while (message := self.later.pop(0) if self.later else self.inbox.get()) is not None:
            if "method" in message:
                self._serve(message)

    def _read(self) -> None:
        for line in sys.stdin:
            self.inbox.put(json.loads(line))
        self.inbox.put(None)

    def send(self, message: Message) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def update(self, update: Message) -> None:
        self.send({"method": "session/update", "params": {"sessionId": self.session, "update": update}})

    def say(self, text: str, message: str | None = "m", **more: object) -> None:
        named = {"messageId": message} if message else {}
        content = {"type": "text", "text": text}
        self.update({"sessionUpdate": "agent_message_chunk", "content": content, **named, **more})

    def _serve(self, message: Message) -> None:
        method = message["method"]
        handle: Callable[[Message], Message] | None = getattr(self, "on_" + method.replace("/", "_"), None)
        if method == "session/prompt":
            self._prompt(message)
        elif "id" in message and handle is not None:
            self.send({"id": message["id"], **handle(message["params"])})
        elif "id" in message:
            self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    def on_initialize(self, params: Message) -> Message:
        start = self.how.get("start")
        if start == "dies":
            print(self.how.get("words", ""), file=sys.stderr)
            sys.exit(3)
        if start == "hangs":
            time.sleep(FOR_EVER)
        if start == "slow":
            time.sleep(self.how["seconds"])
        able = {"loadSession": self.how.get("can_load", True)}
        if self.how.get("goes_beside"):
            able["sessionCapabilities"] = {"additionalDirectories": {}}
        about = {"name": "misbehaving", "version": "0.1"}
        return {
            "result": {"protocolVersion": self.how.get("version", 1), "agentCapabilities": able, "agentInfo": about}
        }

    def on_session_new(self, params: Message) -> Message:
        self.servers, self.beside = params["mcpServers"], params.get("additionalDirectories") or []
        if error := self.how.get("new"):
            return {"error": error}
        return {"result": {"sessionId": self.session, **self._offer()}}

    def on_session_load(self, params: Message) -> Message:
        how = self.how.get("load", "refuses")
        if how == "hangs":
            time.sleep(FOR_EVER)
        if how == "refuses":
            return {"error": {"code": -32603, "message": "No previous sessions found"}}
        self.session, self.beside = params["sessionId"], params.get("additionalDirectories") or []
        self.say("what was said before")
        if how == "replays late":
            threading.Timer(0.1, self.say, ["and what was said last"]).start()
        return {"result": self._offer()}

    def on_session_set_mode(self, params: Message) -> Message:
        if params["modeId"] in self.how.get("refused_modes", ()):
            return {"error": {"code": -32603, "message": "no such mode"}}
        self.mode = params["modeId"]
        return {"result": {}}

    def on_session_set_config_option(self, params: Message) -> Message:
        self.mode = params["value"]
        return {"result": {"configOptions": []}}

    def _offer(self) -> Message:
        names = self.how.get("modes", ())
        if not names:
            return {}
        self.mode = names[0]
        if self.how.get("config"):
            options = [{"value": name, "name": name} for name in names]
            mode = {"id": "mode", "name": "Mode", "type": "select", "currentValue": names[0], "options": options}
            return {"configOptions": [mode]}
        modes = [{"id": name, "name": name} for name in names]
        return {"modes": {"currentModeId": names[0], "availableModes": modes}}

    def _prompt(self, message: Message) -> None:
        self.prompts += 1
        self.result, self.after, self.later_words = {"stopReason": "end_turn"}, "", None
        self.when_cancelled: Message = {"stopReason": "cancelled"}
        text = message["params"]["prompt"][0]["text"]
        told = text[text.index("[[") :] if "[[" in text else '[["say", "Hello."]]'
        try:
            for step in json.loads(told):
                getattr(self, f"do_{step[0]}")(*step[1:])
        except Cancelled:
            self.result.update(self.when_cancelled)
            if self.later_words is not None:
                self.later_words.start()
        error = self.result.pop("error", None)
        answer = {"id": message["id"], **({"error": error} if error else {"result": self.result})}
        self.write(f"{json.dumps(answer)}\n{self.after}")

    def wait(self, seconds: float, ready: Callable[[], bool] = lambda: False) -> None:
        """Serves what comes meanwhile. Cancelled unless stubborn."""
        end = time.monotonic() + seconds
        while not ready() and (left := end - time.monotonic()) > 0:
            try:
                message = self.inbox.get(timeout=left)
            except queue.Empty:
                return
            if message is None:
                os._exit(0)
            if message.get("method") == "session/cancel":
                self.was_told = True
                if not self.is_stubborn:
                    raise Cancelled
            elif "method" in message:
                self.later.append(message)
            else:
                self.answers[message["id"]] = message

    def request(self, method: str, params: Message) -> int:
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": {"sessionId": self.session, **params}})
        return self.asked

    def outcome(self, id: int) -> str:
        answer = self.answers[id]
        if "error" in answer:
            return f"error {answer['error']['code']}"
        result = answer["result"]
        outcome = result.get("outcome", {}) if result else {}
        return str(outcome.get("optionId") or outcome.get("outcome") or result)

    # What a prompt can order, by name and arguments.

    def do_say(self, text: str, message: str | None = "m") -> None:
        self.say(text, message)

    def do_think(self, text: str) -> None:
        self.update({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}})

    def do_update(self, update: Message) -> None:
        self.update(update)

    def do_send(self, message: Message) -> None:
        self.send(message)

    def do_write_out(self, text: str, seconds: float = 0) -> None:
        """Raw, with a pause afterwards."""
        self.write(text)
        time.sleep(seconds)

    def do_big(self, size: int) -> None:
        self.say("x" * size)

    def do_flood(self, count: int) -> None:
        for number in range(count):
            self.say(f"{number} ")

    def do_flood_of_tools(self, count: int) -> None:
        for number in range(count):
            call = {"toolCallId": f"call-{number}", "title": "read", "kind": "read", "status": "completed"}
            self.update({"sessionUpdate": "tool_call", **call})

    def do_flood_of_errors(self, size: int) -> None:
        sys.stderr.write("e" * size)
        sys.stderr.flush()

    def do_hang(self) -> None:
        self.wait(FOR_EVER)

    def do_stubborn(self) -> None:
        self.is_stubborn = True

    def do_until_cancelled(self) -> None:
        """For one that is stubborn: goes on only then."""
        self.wait(FOR_EVER, lambda: self.was_told)

    def do_deaf(self) -> None:
        """Hangs without reading anything."""
        time.sleep(FOR_EVER)

    def do_say_after(self, text: str) -> None:
        """Once the turn has been answered, in the same breath."""
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        update = {"method": "session/update", "params": {"sessionId": self.session, "update": chunk}}
        self.after = f"{json.dumps(update)}\n"

    def do_when_cancelled_later(self, text: str, seconds: float) -> None:
        """Says something so long after it was cancelled."""
        self.later_words = threading.Timer(seconds, self.say, [text])

    def do_sleep(self, seconds: float) -> None:
        self.wait(seconds)

    def do_die(self, code: int, words: str = "") -> None:
        if words:
            print(words, file=sys.stderr, flush=True)
        os._exit(code)

    def do_kill(self, number: int) -> None:
        os.kill(os.getpid(), number)

    def do_close_stdout(self) -> None:
        os.close(1)
        time.sleep(FOR_EVER)

    def do_ask(self, call: Message, options: list[Message] | None = None) -> None:
        id = self.request(
            "session/request_permission", {"toolCall": call, "options": OPTIONS if options is None else options}
        )
        self.wait(FOR_EVER, lambda: id in self.answers)
        self.say(f"<{self.outcome(id)}>")

    def do_ask_and_go_on(self, call: Message) -> None:
        """Ends the turn without waiting for the answer."""
        self.request("session/request_permission", {"toolCall": call, "options": OPTIONS})

    def do_storm(self, count: int, kind: str) -> None:
        calls = [{"toolCallId": f"c{n}", "title": f"call {n}", "kind": kind} for n in range(count)]
        ids = [self.request("session/request_permission", {"toolCall": call, "options": OPTIONS}) for call in calls]
        self.wait(FOR_EVER, lambda: all(id in self.answers for id in ids))
        outcomes = [self.outcome(id) for id in ids]
        self.say(" ".join(f"{name}:{outcomes.count(name)}" for name in sorted(set(outcomes))))

    def do_request(self, method: str, params: Message) -> None:
        id = self.request(method, params)
        self.wait(FOR_EVER, lambda: id in self.answers)
        self.say(f"<{self.outcome(id)}>")

    def do_edit(self, path: str, text: str) -> None:
        """Asks nobody."""
        diff = {"type": "diff", "path": path, "oldText": None, "newText": text}
        call = {
            "toolCallId": f"edit-{path}",
            "title": "Edit",
            "kind": "edit",
            "status": "in_progress",
            "content": [diff],
        }
        self.update({"sessionUpdate": "tool_call", **call})
        Path(path).write_text(text)
        done = {"toolCallId": f"edit-{path}", "status": "completed"}
        self.update({"sessionUpdate": "tool_call_update", **done})

    def do_daemon(self) -> None:
        """Two: one in a session of its own, one without our environment as well."""
        for prefix in (["setsid"], ["env", "-i", "setsid"]):
            subprocess.Popen([*prefix, "sh", "-c", "sleep 300 & sleep 300"])
        self.say("left")

    def do_stderr(self, words: str) -> None:
        print(words, file=sys.stderr, flush=True)

    def do_result(self, result: Message) -> None:
        """Into the answer to the prompt; "error" makes it one."""
        self.result.update(result)

    def do_take_away(self, path: str) -> None:
        shutil.rmtree(path)

    def do_take_mode(self, mode: str) -> None:
        self.mode = mode

    def do_when_cancelled(self, result: Message) -> None:
        """As do_result, once the turn is cancelled."""
        self.when_cancelled = result

    def do_show(self, what: str) -> None:
        shown = {"mode": self.mode, "prompts": self.prompts, "servers": [server["name"] for server in self.servers],
                 "beside": self.beside}  # fmt: skip
        self.say(str(shown[what] if what in shown else os.environ.get(what)))


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}).run()
