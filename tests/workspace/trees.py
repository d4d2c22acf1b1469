"""Projects with all that file systems and users have to offer, and what has to be the same afterwards."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from hypothesis import strategies as st


def git(folder: Path, *args: str) -> str:
    identity = ("-c", "user.name=u", "-c", "user.email=u@localhost", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *identity, *args], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def contents(folder: Path) -> dict[bytes, tuple[str, bytes]]:
    """Every file and link below a folder, without any `.git`: what kind, and what it holds."""
    found: dict[bytes, tuple[str, bytes]] = {}
    for at, folders, files in os.walk(os.fsencode(folder)):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        folders[:] = [name for name in folders if name != b".git"]
        for name in [*files, *links]:
            path = os.path.join(at, name)
            if os.path.islink(path):
                found[os.path.relpath(path, os.fsencode(folder))] = "link", os.readlink(path)
            elif os.path.isfile(path):
                kind = "program" if os.stat(path).st_mode & 0o100 else "file"
                found[os.path.relpath(path, os.fsencode(folder))] = kind, Path(os.fsdecode(path)).read_bytes()
    return found


def digest_of(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        whole.update(os.fsencode(path.relative_to(folder)) + (path.read_bytes() if path.is_file() else b""))
    return whole.hexdigest()


ODD_NAMES = [
    b"with space",
    b"new\nline",
    b"quote\"'",
    b"back\\slash",
    b"tab\t",
    b"git~1",
    b"-rf",
    b":(glob)*",
    b"*",
    b"\xff\xfe",
    "ä試験".encode(),
    "a\u0308".encode(),
    b"sub/.gitmodules",
    b"trailing. ",
    b".GIT2",
]


Tree = dict[str, tuple[str, bytes]]
"""By name: what kind, and what it holds."""

NAMES = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3).map("/".join)
FILES = st.tuples(st.sampled_from(["file", "program", "link"]), st.sampled_from([b"one", b"two", b"a", b"b/c"]))
TREES = st.dictionaries(NAMES, FILES, max_size=5).filter(
    lambda tree: not any(other.startswith(name + "/") for name in tree for other in tree)
)


def lay_out(project: Path, tree: Tree) -> None:
    """Makes the folder hold these files, and its `.git` where it has one."""
    project.mkdir(exist_ok=True)
    for path in project.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name != ".git":
            shutil.rmtree(path)
        elif path.name != ".git":
            path.unlink()
    for name, (kind, data) in tree.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            path.symlink_to(os.fsdecode(data))
        else:
            path.write_bytes(data)
            path.chmod(0o755 if kind == "program" else 0o644)
