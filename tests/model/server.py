"""The model as a server: HTTP on a free port of 127.0.0.1, every request recorded."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import ValidationError

from tests.model.anthropic import MESSAGES
from tests.model.dialect import Asked, Dialect, Form, Json, Said
from tests.model.gemini import GEMINI
from tests.model.openai_chat import CHAT
from tests.model.openai_responses import RESPONSES
from tests.model.script import Conversation, Delivery, Fault, Reply, Script, Usage
from tests.model.tools import spoken

DIALECTS: Sequence[Dialect] = (CHAT, RESPONSES, MESSAGES, GEMINI)
ASIDE = Reply(text="A short title")
"""What a request without tools gets: agents ask for titles and summaries beside the conversation."""
PAUSE = 0.1
"""Seconds between two events of a slow reply."""


@dataclass(frozen=True)
class Exchange:
    """One request and what was said to it; `answer` is None for paths that no dialect knows, and for token counts."""

    method: str
    path: str
    body: bytes
    dialect: str = ""
    conversation: Conversation | None = None
    answer: Reply | Fault | None = None

    @property
    def usage(self) -> Usage | None:
        return self.answer.usage if isinstance(self.answer, Reply) else None


class Model:
    """What a test sees of a running server. The script may be exchanged at any time."""

    def __init__(self, script: Script, port: int) -> None:
        self.script = script
        self.port = port
        self.closing = threading.Event()
        self.on_exchange: Callable[[Exchange], None] | None = None
        self._exchanges: list[Exchange] = []
        self._changed = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        with self._changed:
            return tuple(self._exchanges)

    @property
    def turns(self) -> tuple[Exchange, ...]:
        """The requests that the script answered."""
        return tuple(each for each in self.exchanges if each.answer is not None and each.answer is not ASIDE)

    def wait_for(self, is_enough: Callable[["Model"], bool], timeout: float = 30.0) -> None:
        """Returns once the recorded requests satisfy; TimeoutError after so many seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: is_enough(self), timeout):
                raise TimeoutError(f"after {timeout} s the model had seen {[each.path for each in self._exchanges]}")

    def record(self, exchange: Exchange) -> None:
        with self._changed:
            self._exchanges.append(exchange)
            self._changed.notify_all()
        if self.on_exchange is not None:
            self.on_exchange(exchange)


@contextmanager
def serving(script: Script, listening: socket.socket | None = None) -> Iterator[Model]:
    """A model that answers by this script; a mistake in the script or in a request is raised at the end.

    `listening` is closed at the end; without one, a free port is taken.
    """
    server = _Server(listening or socket.create_server(("127.0.0.1", 0)))
    server.model = model = Model(script, server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
        if server.mistakes:  # also where the block has failed: this is why
            raise ExceptionGroup("the scripted model", server.mistakes)


class _Server(ThreadingHTTPServer):
    model: Model

    def __init__(self, listening: socket.socket) -> None:
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_port = listening.getsockname()[1]
        self.mistakes: list[Exception] = []

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):  # an agent may hang up
            self.mistakes.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr: the exchanges are recorded."""

    def do_GET(self) -> None:
        self._model.record(Exchange("GET", self.path, b""))
        if self.path.partition("?")[0].endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tests"}]})
        else:
            self._send(404, {"error": {"message": "no such path"}})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body = self.rfile.read(int(self.headers["content-length"]))
        dialect = next((each for each in DIALECTS if each.knows(path)), None)
        if dialect is None:
            self._model.record(Exchange("POST", self.path, body))
            self._send(404, {"error": {"message": "no such path"}})
            return
        try:
            self._talk(dialect, dialect.read(path, body), body)
        except (LookupError, ValidationError) as mistake:
            self._mistakes.append(mistake)
            self._send(400, {"error": {"message": str(mistake)}})

    def _talk(self, dialect: Dialect, asked: Asked, body: bytes) -> None:
        heard = Exchange("POST", self.path, body, dialect.name, asked.conversation)
        if asked.form is Form.COUNT:
            self._model.record(heard)
            self._send(200, dialect.count(Usage()))
            return
        answer = self._model.script(asked.conversation) if asked.conversation.tools else ASIDE
        said = _said(answer, asked.conversation) if isinstance(answer, Reply) else None
        self._model.record(replace(heard, answer=answer))
        match answer:
            case Fault.HANG:
                self._model.closing.wait()
            case Fault():
                refused = dialect.refuse(answer)
                self._send(refused.status, refused.body, refused.headers)
            case Reply():
                assert said is not None
                if asked.form is Form.STREAM:
                    self._stream(dialect.events(said), answer.delivery)
                else:
                    self._send(200, dialect.whole(said))

    def _send(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        encoded = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def _stream(self, events: Sequence[bytes], delivery: Delivery) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in delivered(events, delivery):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            if delivery is Delivery.SLOW and self._model.closing.wait(PAUSE):
                break
        if delivery is Delivery.CUT:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    @property
    def _model(self) -> Model:
        assert isinstance(self.server, _Server)
        return self.server.model

    @property
    def _mistakes(self) -> list[Exception]:
        assert isinstance(self.server, _Server)
        return self.server.mistakes


def delivered(events: Sequence[bytes], delivery: Delivery) -> Sequence[bytes]:
    """The events as they go over the wire."""
    middle = len(events) // 2
    match delivery:
        case Delivery.CUT:
            return events[:middle]
        case Delivery.GARBLED:
            return [*events[:middle], b'data: {"broken": tru\n\n', *events[middle + 1 :]]
        case Delivery.WHOLE | Delivery.SLOW:
            return events


def _said(reply: Reply, asked: Conversation) -> Said:
    number = len(asked.history)
    calls = tuple(spoken(call, asked.tools, f"call_{number}_{at}") for at, call in enumerate(reply.calls))
    return Said(str(number), asked.model, reply.text, calls, reply.usage, reply.thought)
