"""The cycle so far in a few lines, for a role's session that knows nothing of it. Pure."""

from collections.abc import Iterator

from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_names import Role, step_of
from loopwright.domain.words import clipped, plural

LONGEST, SAID, LINE, SHOWN = 2500, 600, 160, 8
"""Characters of a brief, of what was said last, and of a line; tasks and tests that it names."""


def cycle_brief(role: Role, state: CycleState, folder: str, said: str = "") -> str:
    """What was done, what is open, and where the documents are; empty for a role that has done nothing yet.

    `folder` holds the documents; `said` is what the session before said in a turn that broke off.
    """
    keys = (*state.engine.done, *state.engine.tries)
    begun = bool(state.agents.of(role).output_files) or any(
        step_of(key).role == role for key in keys if key != "vas.baseline"
    )
    if not (begun or said.strip()):
        return ""
    lines = ["You have worked on this cycle in an earlier session, which is gone. Where it stands:"]
    lines += [f"- iteration {state.current_iteration} of {state.max_iterations}", *_documents(state), *_tasks(state)]
    lines += [*_tests(state), f"Documents of all roles: {folder} (yours may be half written; look before you go on)"]
    text = "\n".join(lines)[: LONGEST - SAID - 100]
    if tail := said.strip()[-SAID:]:
        text += f"\nThe earlier session broke off in the middle of a turn. Its last words were:\n{tail}"
    return text


def _documents(state: CycleState) -> Iterator[str]:
    known = (("requirements", state.requirements), ("exploration", state.exploration), ("plan", state.plan))
    if versions := [f"{name} {part.version}" for name, part in known if part is not None]:
        yield f"- {', '.join(versions)}"


def _tasks(state: CycleState) -> Iterator[str]:
    tasks = state.plan.tasks if state.plan else ()
    if not tasks:
        return
    done = sum(task.status == "completed" for task in tasks)
    yield f"- {done} of {plural(len(tasks), 'task')} completed; open:" if done < len(tasks) else "- all tasks completed"
    left = [task for task in tasks if task.status != "completed"]
    yield from (f"  - {task.id} ({task.status}): {_line(task.description)}" for task in left[:SHOWN])


def _tests(state: CycleState) -> Iterator[str]:
    results = state.test_results
    if results is None:
        return
    yield f"- the last test run: {results.pass_rate:g} % of {plural(results.total_tests, 'test')} pass"
    yield from (f"  - fails: {_line(name)}" for name in results.failed_tests[:SHOWN])


def _line(text: str) -> str:
    return clipped(" ".join(text.split()), LINE)
