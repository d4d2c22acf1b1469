"""The fence is worth what it keeps in."""

import socket
import subprocess
import sys

import pytest

from tests.agents_real.fence import Fence
from tests.model.script import Reply, steps
from tests.model.server import serving

_LOOK = """
import socket, sys, urllib.error, urllib.request
print(*sorted(name for _, name in socket.if_nameindex()))
try:
    urllib.request.urlopen(sys.argv[1] + "/v1/models").close()
    print("the model answers")
except urllib.error.URLError as refused:
    print(refused)
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
    print("the world answers")
except OSError as error:
    print(error)
"""


def _look(inside: Fence, url: str) -> list[str]:
    command = [*inside.prefix, sys.executable, "-c", _LOOK, url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_inside_there_is_the_model_and_nothing_else(fence: Fence) -> None:
    if not fence.prefix:
        pytest.skip("the system does not let us make a network namespace")
    with serving(steps(Reply()), fence.listen()) as inside, serving(steps(Reply())) as outside:
        assert _look(fence, inside.url) == ["lo", "the model answers", "[Errno 101] Network is unreachable"]
        assert "refused" in _look(fence, outside.url)[1]
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", inside.port))


def test_without_a_namespace_the_model_listens_all_the_same() -> None:
    with serving(steps(Reply()), Fence().listen()) as model:
        socket.create_connection(("127.0.0.1", model.port)).close()
