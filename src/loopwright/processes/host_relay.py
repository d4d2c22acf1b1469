"""Named hosts for programs without a network: sockets that listen in theirs, whose connections go on from ours."""

import asyncio
import socket
import threading
from contextlib import closing, suppress
from functools import partial

from loopwright.processes.sandbox import NamedHost

_CHUNK = 1 << 16


class HostRelay:
    """Serves one program, in a thread, until it is closed. `theirs` is handed to whoever makes the program's network.

    From there come the listening sockets, in the order of the `hosts`; no other host can be reached through them.
    """

    def __init__(self, hosts: tuple[NamedHost, ...]) -> None:
        self._hosts = hosts
        self._ours, self.theirs = socket.socketpair()
        self._over, self._ending = socket.socketpair()
        self._thread: threading.Thread | None = None

    def hand_over(self) -> None:
        """The other end is the program's alone from now on."""
        self.theirs.close()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="host-relay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends all connections, and waits for that."""
        self._ending.close()
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)  # for one whose program never came to its network
        if self._thread is not None:
            self._thread.join()
        for end in (self._ours, self._over, self.theirs):
            end.close()

    async def _serve(self) -> None:
        received = await asyncio.to_thread(socket.recv_fds, self._ours, 1, len(self._hosts))
        listeners = [socket.socket(fileno=descriptor) for descriptor in received[1]]
        servers = [
            await asyncio.start_server(partial(_carry, host), sock=listener)
            for host, listener in zip(self._hosts, listeners, strict=False)
        ]
        await asyncio.to_thread(self._over.recv, 1)
        for server in servers:
            server.close()


async def _carry(host: NamedHost, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection, in both directions, until both have ended; closed at once where the host cannot be reached."""
    with closing(writer), suppress(asyncio.CancelledError):  # at the end; asyncio would print it
        try:
            inward, outward = await asyncio.open_connection(host.name, host.port)
        except OSError:
            return
        with closing(outward):
            await asyncio.gather(_pump(reader, outward), _pump(inward, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
