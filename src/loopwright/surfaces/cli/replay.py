"""`replay`: the recorded course of a loop once more, in a copy of the project, and whether it comes to the same."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.core.errors import ExitCode
from loopwright.surfaces.cli.kinds import LoopId
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project
from loopwright.surfaces.cli.output import print_json, print_remark

if TYPE_CHECKING:
    from loopwright.core.run_events import RunNote
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.replay import CourseDifference, LoopRecording, ReplayResult


def replay(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Play a loop's transcript again in a copy of the project; exits with 0 if it ends the same way."""
    import tempfile

    from loopwright.workflows.loop.replay import read_recording

    with open_project(project) as engine, tempfile.TemporaryDirectory(prefix="loopwright-replay-") as folder:
        recording = read_recording(engine.service.store, loop_id)
        replayed, different = _play(engine, recording, Path(folder).resolve())
    if json:
        _write(replayed, different)
    else:
        _tell(replayed, different)
    raise typer.Exit(ExitCode.NO_SUCCESS if different or replayed.strayed else ExitCode.DONE)


def _play(
    engine: "Engine", recording: "LoopRecording", folder: Path
) -> "tuple[ReplayResult, tuple[CourseDifference, ...]]":
    import asyncio

    from loopwright.agents.scripted import ReplayedAgent
    from loopwright.wiring import open_copy, workspace_in
    from loopwright.workflows.loop.replay import LoopReplay, ReplayClock, compare_courses

    service, clock = engine.service, ReplayClock(engine.service.clock)
    replaying = LoopReplay(recording, service.workspace, clock)
    (folder / "project").mkdir()
    (folder / "recorded").mkdir()
    beside = workspace_in(folder / "recorded")
    agents = lambda name, around: ReplayedAgent(name, recording.able(name), replaying.answer)  # noqa: E731
    with open_copy(engine, recording.start, folder / "project", clock, agents) as runner:
        replayed = asyncio.run(replaying.play(runner, _follow))
        then = service.events(recording.first.loop_id)
        return replayed, compare_courses(recording, then, replayed, service.workspace, runner.workspace, beside)


def _follow(note: "RunNote") -> None:
    if note.kind == "action":
        print_remark(f"replaying {note.text}")


def _write(replayed: "ReplayResult", different: "tuple[CourseDifference, ...]") -> None:
    equal = not different and not replayed.strayed
    print_json(
        {
            "success": equal,
            "data": {
                "equal": equal,
                "differences": [vars(difference) for difference in different],
                "strayed": replayed.strayed,
                "reworded": replayed.reworded,
                "actions": replayed.actions,
                "state": replayed.state,
            },
        }
    )


def _tell(replayed: "ReplayResult", different: "tuple[CourseDifference, ...]") -> None:
    from loopwright.core.text import clean_line, plural

    count = plural(len(replayed.actions), "action")
    if replayed.strayed:
        print(f"the replay diverged from the recording after {count}: {clean_line(replayed.strayed)}")
    for difference in different:
        print(f"{difference.what} differ:")
        print(f"  recorded: {clean_line(difference.recorded)}\n  replayed: {clean_line(difference.replayed)}")
    if not different and not replayed.strayed:
        print(f"equal: {count}, {replayed.state.engine.outcome or replayed.state.status}")
    if replayed.reworded:
        print_remark(f"{plural(replayed.reworded, 'order')} to an agent would be worded differently today")
