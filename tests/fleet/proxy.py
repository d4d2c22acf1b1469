"""A line between a process and the server, which a test breaks at any moment."""

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

Cut = Literal["before", "within", "after", "answer", "late", "silent"]
"""Where it breaks: before the server has heard, in the middle of it, right after, before the answer is told; or the
server hears of it only later, when the client has gone; or nobody hears anything any more."""

CUTS: tuple[Cut, ...] = ("before", "within", "after", "answer", "late")
LATE = 0.05


class BreakingLine:
    """`plan` says for each packet from a client how the line breaks there, if it does. `is_down`: nothing gets through.

    `packets`: from clients, so far.
    """

    def __init__(self, port: int) -> None:
        self.plan: Callable[[], Cut | None] = lambda: None
        self.is_down = False
        self.packets = 0
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._open: set[socket.socket] = set()
        self._begin(self._accept)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(10)

    def cut(self) -> None:
        """Every connection breaks."""
        for end in tuple(self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _begin(self, work: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=work, args=args)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._begin(self._carry, client)

    def _carry(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._target) as server:
            self._open |= {client, server}
            try:
                while not self.is_down and self._pass_on(client, server):
                    pass
            finally:
                self._open -= {client, server}

    def _pass_on(self, client: socket.socket, server: socket.socket) -> bool:
        """The next packet of either side; whether the line still holds."""
        ready, _, _ = select.select([client, server], [], [])
        if server in ready:
            answer = server.recv(1 << 16)
            client.sendall(answer)
            return bool(answer)
        asked = client.recv(1 << 16)
        if not asked:
            return False
        self.packets += 1
        cut = None if self.is_down else self.plan()
        if cut == "silent":
            while client.recv(1 << 16):
                pass
            return False
        if cut == "late":
            client.shutdown(socket.SHUT_RDWR)
            time.sleep(LATE)
        if cut != "before" and not self.is_down:
            server.sendall(asked[: len(asked) // 2] if cut == "within" else asked)
        if cut == "answer":
            select.select([server], [], [], 5)
        return cut is None
