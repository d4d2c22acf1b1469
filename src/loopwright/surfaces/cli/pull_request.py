"""`pr`: pushes a run's branch, and opens a pull request by the program of the forge."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.text import clean_line, clip_text
from loopwright.surfaces.cli.kinds import AnyKind, Id
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project
from loopwright.surfaces.cli.output import print_answer, print_remark

if TYPE_CHECKING:
    from loopwright.core.run import Run
    from loopwright.core.run_commands import RunService

MOST = 60_000
"""Characters of a description: forges take little more."""


def pr(
    kind: AnyKind,
    id: Id,
    draft: Annotated[bool, typer.Option("--draft", help="Open it as a draft.")] = False,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="BRANCH", help="Branch to merge into (default: the one it began on)."),
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="gh, glab or tea (default: by the remote's host).")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Push a loop's branch and open a pull request for it."""
    from loopwright.processes.user_git import UserGit
    from loopwright.workspace.forge import (
        PullRequest,
        choose_forge,
        default_branch,
        find_remote,
        open_request,
        push_branch,
    )

    with open_project(project) as engine:
        service: RunService[Any] = kind.service(engine)  # Any: states of the kind
        git = UserGit(engine.project, id, engine.project)
        before = service.read(id).engine.branch
        on = before.base_branch if before else git.run("symbolic-ref", "--quiet", "--short", "HEAD").output or None
        remote = find_remote(git, on)  # what is wrong with the remote is better seen before anything is done
        forge = choose_forge(remote, tool)
        into = base or default_branch(git, remote, on)
        state = service.branch(id)
        branch = state.engine.branch
        name = branch.named or branch.name
        push_branch(git, remote, name)
        if branch.pull_request is None:
            asked = PullRequest(name, into, clean_line(state.title), request_body(state, service.whole_diff(id)), draft)
            url = open_request(git, remote, forge, asked)
            service.note_pull_request(id, url)
        else:
            url = branch.pull_request
            print_remark("it was opened before; what is new was pushed")
    print_answer(json, {kind.key: id, "url": url, "branch": name, "base": into}, url)


def request_body(state: "Run", diff: str) -> str:
    """What was asked for, what was changed, and what was measured of it."""
    from loopwright.core.delivery import RUN, proof_words, task_text
    from loopwright.evidence.objections import review_lines, review_words
    from loopwright.surfaces.cli.run_rendering import proof_lines
    from loopwright.workflows.loop.summary import diff_stat

    engine = state.engine
    id = str(getattr(state, "loop_id", None) or getattr(state, "cycle_id", ""))
    parts = [task_text(state)]
    if changed := [f"- `{clean_line(file)}` +{added} -{removed}" for file, added, removed in diff_stat(diff)]:
        parts.append("\n".join(["## Changes", "", *changed]))
    measured = [f"- {clean_line(line)}" for line in proof_lines(engine.proof)]
    parts.append(
        "\n".join(["## Proof", "", proof_words(engine) or "No validation has passed.", "", *measured]).rstrip()
    )
    review = getattr(engine, "review", None)
    if words := review_words(review):
        parts.append("\n".join(["## Review", "", words, "", *(f"- {line}" for line in review_lines(review))]).rstrip())
    if engine.outcome != "succeeded":
        parts.append(f"The run has not succeeded: {engine.outcome or state.status}.")
    text = clip_text("\n\n".join(parts), MOST)
    return f"{text}\n\n{RUN}: {id}\n"
