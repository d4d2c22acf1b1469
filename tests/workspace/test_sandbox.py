"""What the system offers is what other programs find as well."""

import shutil
import subprocess
from pathlib import Path

import pytest

from loopwright import checkup as tried
from loopwright.checkup import check_sandbox


def test_namespaces_are_there_when_a_program_of_the_system_can_make_them() -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare here")
    done = subprocess.run([unshare, "--user", "--map-current-user", "--mount", "--net", "true"], check=False)
    assert check_sandbox().namespaces == (done.returncode == 0)


def test_what_the_system_refuses_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tried, "_TRY", "raise SystemExit(1)")
    assert not check_sandbox().namespaces


def test_trying_leaves_this_process_where_it_was() -> None:
    def namespaces() -> list[str]:
        return [str(link.readlink()) for link in sorted(Path("/proc/self/ns").iterdir())]

    before = namespaces()
    check_sandbox()
    assert namespaces() == before


def test_bubblewrap_is_looked_for_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check_sandbox().bubblewrap is None
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert check_sandbox().bubblewrap == str(tmp_path / "bwrap")
    assert check_sandbox().landlock >= 0
