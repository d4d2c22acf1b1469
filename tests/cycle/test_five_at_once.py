"""Five cycles in one project at once, each with a runner of its own: nothing of one is found with another."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.soaks._cycle_course import TESTS, Course, enlist_short, never_twice, nothing_is_left
from tests.real_command import Project
from tests.waiting import until

PATIENCE = 120.0
WORDS = [f"secret{n}{name}" for n, name in enumerate("kmprs")]
"""None is a part of another."""

CHANGED = re.compile(rb"secret\w+-(one|two)\.txt")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    (project.root / "test_nothing.py").write_text(TESTS)
    return project


@pytest.fixture
def cycles(project: Project) -> Iterator[list[Course]]:
    """All of them at work at the same time."""
    courses = [enlist_short(project, word, meet=project.state / "together", all_of=WORDS) for word in WORDS]
    runners = [course.start() for course in courses]
    yield courses
    for runner in runners:
        runner.kill()
        runner.wait()


def test_nothing_crosses_over(project: Project, cycles: list[Course]) -> None:
    until(lambda: all(ended(course) for course in cycles), PATIENCE)
    for course in cycles:
        until(lambda course=course: not course.lanes.exists())  # type: ignore[misc]  # mypy does not infer a default's type
        state = course.state()
        assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
        assert (project.root / f"{course.word}-one.txt").read_text() == f"{course.word}\n"
        assert (project.root / f"{course.word}-two.txt").read_text() == f"{course.word}\n"
        assert state.changes is not None
        assert {line.file for line in state.changes.changes} == {f"{course.word}-one.txt", f"{course.word}-two.txt"}
        assert {course.word in name for name in state.engine.sessions.values()} <= {True}
        never_twice(course.events())
        nothing_is_left(course, state)
        for path in files_of(course):
            found = CHANGED.sub(b"", path.read_bytes())  # what others changed under its test runs is told by name
            assert [word for word in WORDS if word != course.word and word.encode() in found] == [], path


def ended(course: Course) -> bool:
    return course.state().status in ("completed", "failed")


def files_of(course: Course) -> list[Path]:
    """Everything that is kept under its name."""
    tops = [path for path in course.progress.parent.iterdir() if path.name.startswith(course.id)]
    return [path for top in tops for path in (top.rglob("*") if top.is_dir() else [top]) if path.is_file()]
