"""Thirty loops at once, in three projects, of the same ten ids in each: nothing crosses."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.together.drive import drive
from tests.together.members import WRITE, Member, crossings, enlist, found, run

IDS = (
    "loop", "loop-1", "loop-10", "loop-1-0", "loop-1-json", "loop_1", "Loop", "loop-v2-20260122T100000-0123abcd",
    "loop-v2-20260122T100000-0123abce", "l",
)  # fmt: skip
"""Beginnings of one another, and such that differ in a letter's case."""

PROJECTS = 3
BY_COMMAND = 2
"""Of each ten; the others are driven in this process."""

AT_ONCE = 4
STEPS = 2


def test_nothing_crosses_between_thirty_loops(tmp_path: Path) -> None:
    state = tmp_path / "state"
    projects = [found(tmp_path / f"{n}", "project", state) for n in range(PROJECTS)]
    by_command = [Member(project, id) for project in projects for id in IDS[:BY_COMMAND]]
    in_process = [Member(project, id) for project in projects for id in IDS[BY_COMMAND:]]
    for member in by_command:
        enlist(member, *[WRITE] * STEPS)
    for member in in_process:
        enlist(member, WRITE, tests="judge")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        codes = pool.map(run, by_command)
        states = asyncio.run(drive(in_process))
    assert list(codes) == [0] * len(by_command)
    assert [state.engine.outcome for state in states] == ["succeeded"] * len(in_process)
    fleet = [*by_command, *in_process]
    assert len(fleet) == 30
    assert list(crossings(fleet)) == []
    for member in fleet:
        assert member.written.read_text().split() == [member.token] * (STEPS if member in by_command else 1)
        assert member.state().status == "completed"
        assert member.processes() == []


def test_the_search_for_crossings_would_find_them(tmp_path: Path) -> None:
    project = found(tmp_path, "project", tmp_path / "state")
    one, other = (enlist(Member(project, id), WRITE, tests="judge") for id in ("loop", "loop-1"))
    asyncio.run(drive([one, other]))
    assert list(crossings([one, other])) == []
    transcript = next(path for path in one.files if path.name == "transcript.ndjson")
    transcript.write_text(f"{transcript.read_text()}{other.token}\n")
    other.written.write_text(one.token)
    assert len(list(crossings([one, other]))) == 2
