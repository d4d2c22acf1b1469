"""kill -9 at any system call of changing a skill, and of rolling it back: nothing is torn, all of it can be undone."""

import os
import pickle
import random
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopwright.core.errors import NotFound
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.files import Rewrite, digest

HERE = Path(__file__).resolve().parent.parent.parent
KILLS = 500
MOST_CALLS = 140
"""About as many as the longest change makes; a call that never comes kills nobody."""
MODES = (0o644, 0o600, 0o755, 0o444)
Snapshot = dict[str, tuple[int, bytes | None]]
"""By name the permissions and the content of a file; None for a folder."""


@dataclass(frozen=True)
class Course:
    """One skill and one change of it."""

    root: Path
    backup: Path
    change: Rewrite
    pickled: Path
    before: Snapshot

    def assert_whole(self) -> None:
        """Every file is what it was or what it is to be."""
        now = snapshot(self.root)
        for name, data in self.change.contents.items():
            old = self.before.get(name, (0, None))[1]
            assert now.get(name, (0, None))[1] in (old, data), f"{name} is torn"

    def assert_before(self) -> None:
        assert snapshot(self.root) == self.before

    def assert_after(self) -> None:
        now = snapshot(self.root)
        contents = {
            **{name: data for name, (_, data) in self.before.items() if data is not None},
            **self.change.contents,
        }
        expected = {name: data for name, data in contents.items() if data is not None}
        assert {name: data for name, (_, data) in now.items() if data is not None} == expected
        for name in expected.keys() & self.before.keys():
            assert now[name][0] == self.before[name][0], f"{name} has other permissions"


class Killer:
    """The process that dies again and again."""

    def __init__(self, process: "subprocess.Popen[str]", chance: random.Random) -> None:
        self._process, self._chance = process, chance

    def strike(self, what: str, course: Course) -> bool:
        """Whether it died; else it came to its end."""
        nth, how = self._chance.randrange(MOST_CALLS), self._chance.choice(["before", "half", "after"])
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        words = [what, str(course.root), str(course.pickled), str(course.backup), str(nth), how]
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        assert code in (0, -9), f"{what} ended with {code} at call {nth} ({how})"
        return code == -9


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 five hundred kills."""
    counts, kills = Counter[str](), max(1, round(KILLS * scale))
    with _killer(chance) as killer:
        while counts["kills"] < kills:
            with tempfile.TemporaryDirectory() as folder:
                _course(_made(Path(folder), chance), killer, chance, counts)
    return counts


def _course(course: Course, killer: Killer, chance: random.Random, counts: Counter[str]) -> None:
    died = killer.strike("apply", course)
    counts["kills"] += died
    course.assert_whole()
    if not died or chance.random() < 0.3:
        SkillFolders().apply(course.root, course.change, course.backup)
        course.assert_after()
        counts["changes made again"] += died
    for _ in range(chance.randrange(4)):
        if not _has_begun(course):
            break
        counts["kills"] += killer.strike("roll_back", course)
        course.assert_whole()
    _assert_undone(course, counts)


def _has_begun(course: Course) -> bool:
    return (course.backup / "manifest.json").exists()


def _assert_undone(course: Course, counts: Counter[str]) -> None:
    try:
        digests = SkillFolders().roll_back(course.root, course.backup)
    except NotFound:
        assert not _has_begun(course)
        counts["ended before they began"] += 1
    else:
        assert digests == {name: course.change.expected[name] for name in course.change.contents}
        counts["rolled back"] += 1
        SkillFolders().roll_back(course.root, course.backup)
    course.assert_before()


def snapshot(root: Path) -> Snapshot:
    """All below the folder, whatever its name."""
    return {
        str(path.relative_to(root)): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(root.rglob("*"))
    }


def _made(place: Path, chance: random.Random) -> Course:
    root = place / "skill"
    contents: dict[str, bytes | None] = {}
    for n in range(chance.randint(1, 6)):
        name = "SKILL.md" if n == 0 else chance.choice([f"{n}.md", f"phases/{n}.md", f"a/b/{n}.md"])
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(chance.choice([0, 10, 5000])))
        path.chmod(chance.choice(MODES))
        if n == 0 or chance.random() < 0.7:
            contents[name] = chance.choice([None, b"", chance.randbytes(chance.choice([20, 9000]))])
    for n in range(chance.randint(0, 3)):
        contents[chance.choice([f"new-{n}.md", f"new/{n}.md", f"new/deep/{n}.md", f"phases/new-{n}.md"])] = b"new"
    files = {name: data for name, (_, data) in snapshot(root).items() if data is not None}
    expected = {name: digest(files[name]) if name in files else None for name in contents}
    change = Rewrite(contents, expected)
    pickled = place / "change"
    pickled.write_bytes(pickle.dumps(change))
    return Course(root, place / "work" / "backups" / "FIX-001", change, pickled, snapshot(root))


@contextmanager
def _killer(chance: random.Random) -> Iterator[Killer]:
    command = [sys.executable, "-m", "bench.soaks._dying_skill"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    with subprocess.Popen(
        command, cwd=HERE, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Killer(process, chance)
        finally:
            process.kill()
