"""Copies that copy nothing: what a candidate does to one is undone, and the project is never touched."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.evidence.debugging import DebugRequest
from loopwright.repair.debugger import PythonDebugger
from loopwright.repair.tree import survey_project
from tests.repair.cases import write
from tests.repair.test_kept import SHOP

DEEDS = {
    "writes": "open('pkg/a.py', 'w').write('changed')",
    "appends": "open('pkg/deep/b.py', 'a').write('more')",
    "removes": "os.unlink('pkg/a.py')",
    "chmods": "os.chmod('pkg/a.py', 0o600)",
    "adds": "open('pkg/new.py', 'w').write('new')",
    "adds a folder": "os.makedirs('pkg/n/m'); open('pkg/n/m/x', 'w').write('x')",
    "removes a folder": "shutil.rmtree('pkg')",
    "makes a folder anew": "shutil.rmtree('pkg'); os.makedirs('pkg/deep'); open('pkg/a.py', 'w').write('other')",
    "puts a file in the place of a folder": "shutil.rmtree('pkg/deep'); open('pkg/deep', 'w').write('file')",
    "puts a link in the place of a file": "os.unlink('pkg/a.py'); os.symlink('deep/b.py', 'pkg/a.py')",
    "replaces": "open('t', 'w').write('t'); os.replace('t', 'pkg/a.py')",
    "does it all": "shutil.rmtree('pkg'); os.mkdir('pkg'); os.symlink('/', 'pkg/deep'); os.unlink('top.txt')",
}
"""What a test may do to the folder that it runs in."""

PROGRAM = """
import json, os, shutil, sys
from loopwright.repair import sandbox
from loopwright.repair.fork_server import ProjectCopy
from loopwright.repair.overlay import is_laid_over, lay_over
origin, room, deeds, hidden = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
trees = [os.path.join(room, name) for name in ("pristine", "lane0")]
for tree in trees:
    os.mkdir(tree)
if not sandbox.isolate_process() or not lay_over(origin, trees, hidden):
    print(json.dumps(None))
    sys.exit()
def look():
    found = {}
    for at, folders, files in os.walk(trees[1]):
        for name in [*files, *(name for name in folders if os.path.islink(os.path.join(at, name)))]:
            path = os.path.join(at, name)
            kind = os.lstat(path).st_mode
            held = os.readlink(path) if os.path.islink(path) else open(path).read()
            found[os.path.relpath(path, trees[1])] = [kind, held]
    return found
assert is_laid_over(trees[1])
assert [os.stat(f"{root}/pkg").st_mode for root in trees] == [os.stat(f"{origin}/pkg").st_mode] * 2
copy, before, told = ProjectCopy(trees[1], trees[0]), look(), {}
for deed in deeds:
    os.chdir(trees[1])
    exec(deed)
    changed = copy.put_back()
    told[deed] = [changed, look() == before, copy.put_back()]
print(json.dumps([before, told]))
"""


def lay_out(project: Path, room: Path, deeds: list[str]) -> tuple[dict[str, list[object]], dict[str, list[bool]]]:
    _, hidden = survey_project(str(project), lambda: None)
    room.mkdir()
    argv = (sys.executable, "-c", PROGRAM, str(project), str(room), json.dumps(deeds), json.dumps(hidden))
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if found is None:
        pytest.skip("the kernel lays nothing over anything here")
    before, told = found
    return before, told


def test_whatever_a_candidate_does_is_undone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    files = {"pkg/a.py": "a", "pkg/deep/b.py": "b", "top.txt": "top", ".git/HEAD": "ref", "pkg/__pycache__/a.pyc": ""}
    write({**files, "tools/env/pyvenv.cfg": "", "tools/env/lib/x.py": "x"}, project)
    (project / "link").symlink_to("pkg")
    (project / "pkg").chmod(0o710)
    before, told = lay_out(project, tmp_path / "room", list(DEEDS.values()) * 2)
    assert sorted(before) == ["link", "pkg/a.py", "pkg/deep/b.py", "top.txt"]
    assert {deed: answer for deed, answer in told.items() if answer != [True, True, False]} == {}
    assert (project / "pkg/a.py").read_text() == "a"
    assert sorted(os.listdir(project)) == [".git", "link", "pkg", "tools", "top.txt"]


@pytest.mark.parametrize("name", ["plain", "a,b:c"])  # the second is no name that it could be told by
def test_where_nothing_can_be_laid_over_copies_do(tmp_path: Path, name: str) -> None:
    project = tmp_path / name
    write(SHOP, project)
    request = DebugRequest(
        project=str(project), python=sys.executable, test_command="python -m pytest", failing=(), budget_seconds=40
    )
    found = asyncio.run(PythonDebugger("overlay").search(request))
    assert found.patch is not None
    assert found.patch.file == "shop.py"
    assert (project / "shop.py").read_text() == SHOP["shop.py"]
