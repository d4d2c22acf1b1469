"""A PostgreSQL of the tests' own: Debian's programs, a new data folder, an unprivileged user, loopback."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

USER = "postgres"
"""Who it runs as where we are root, as whom it does not."""
SETTINGS = """
listen_addresses = '127.0.0.1'
max_connections = 200
"""


class Server:
    """`url` of its databases ends with a slash; it can be stopped and started again, as often as one likes."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.url = f"postgresql://{USER}@127.0.0.1:{port}/"

    def make(self) -> None:
        self._run("initdb", "-D", "data", "-A", "trust", "-U", USER, "--no-sync")
        with open(self.folder / "data" / "postgresql.conf", "a") as settings:
            settings.write(f"{SETTINGS}port = {self.port}\nunix_socket_directories = '{self.folder}'\n")

    def start(self) -> None:
        self._run("pg_ctl", "-D", "data", "-l", "log", "-w", "-t", "30", "start")

    def stop(self, how: str = "immediate") -> None:
        self._run("pg_ctl", "-D", "data", "-m", how, "-w", "stop")

    def freeze(self) -> None:
        """Nothing answers any more; the kernel still takes connections."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To each by itself, for every backend has a process group of its own; first to the one that begins others."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, number)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), number)

    def _run(self, program: str, *args: str) -> None:
        as_user = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        argv = [find_program(program), *args]
        done = subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, check=False, **as_user)  # type: ignore[call-overload]
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"


def find_program(name: str) -> str:
    """Debian keeps them out of the PATH. There is no test of the fleet without them, so that is an error."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = shutil.which(name) or (str(places[0]) if places else None)
    assert found, f"the tests of the fleet need PostgreSQL ({name} is not here): apt-get install postgresql"
    return found


@contextmanager
def serve() -> Iterator[Server]:
    """A server that goes away with all it holds."""
    folder = Path(tempfile.mkdtemp(prefix="loopwright-pg-"))
    folder.chmod(0o711)  # its socket is also reached from a network of its own
    try:
        if os.geteuid() == 0:
            os.chown(folder, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = Server(folder, port)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)
