"""A network of its own that holds nothing but 127.0.0.1: what works in there has not talked to anybody else."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_HOLDER = """
import fcntl, socket, struct
UP = 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x8 | 0x40)  # SIOCSIFFLAGS: up, loopback, running
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, *UP)
control = socket.socket(fileno=0)
control.send(b"!")
while control.recv(1):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        socket.send_fds(control, [b"!"], [listening.fileno()])
"""


@dataclass(frozen=True)
class Fence:
    """`prefix` put before a command line starts it inside; without a fence it is empty."""

    prefix: tuple[str, ...] = ()
    control: socket.socket | None = None

    def listen(self) -> socket.socket:
        """A listening socket on a free port of 127.0.0.1 inside: a socket stays in the network it was made in."""
        if self.control is None:
            return socket.create_server(("127.0.0.1", 0))
        self.control.send(b"!")
        _, (descriptor, *_), _, _ = socket.recv_fds(self.control, 1, 1)
        return socket.socket(fileno=descriptor)


@contextmanager
def fenced() -> Iterator[Fence]:
    """A fence while the block lasts; an open one, with an empty prefix, where the system does not let us make it."""
    if not all(map(shutil.which, ("unshare", "nsenter"))):
        yield Fence()
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        holder = subprocess.Popen(
            ("unshare", "--map-root-user", "--net", sys.executable, "-c", _HOLDER),
            stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        theirs.close()
        try:
            if ours.recv(1):
                entering = ("--preserve-credentials", "--user", "--net")
                yield Fence(("nsenter", "--target", str(holder.pid), *entering), ours)
            else:
                yield Fence()
        finally:
            ours.close()
            holder.wait()
