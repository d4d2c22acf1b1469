"""What becomes of a run's work: commits, a branch of its own, changes in the user's tree."""

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.errors import Conflict, Forbidden, Invalid, LoopwrightError, NotFound
from loopwright.core.ports import RunBranches, Workspace
from loopwright.core.record import JournalEvent
from loopwright.core.run import R, Run, add_incidents
from loopwright.core.state import Incident, PendingApply, PendingCommit, RunBranch, RunState
from loopwright.core.text import plural

if TYPE_CHECKING:
    from loopwright.core.context import MeasuredRunContext
    from loopwright.core.run_commands import RunService

SUBJECT = 72
"""Characters of a commit's first line."""

RUN, TASK, PROOF = "Loopwright-Run", "Loopwright-Task", "Loopwright-Proof"
"""Trailers of our commits."""

SHOWN = 3
"""Files and tests that are named; of more, their number is told."""


def commit_message(id: str, done: Sequence[PendingCommit], proof: str = "") -> str:
    """Subject, the rest of what the last task says, those that could not be committed before, and trailers."""
    *earlier, last = done
    words = [line.rstrip() for line in last.words.strip().splitlines()] or ["Work of a run"]
    subject, rest = _split_subject(words[0])
    body = "\n".join([rest, *words[1:]] if rest else words[1:]).strip()
    also = "\n".join(f"Also: {' '.join(one.words.split())}" for one in earlier)
    trailers = [f"{RUN}: {id}", *(f"{TASK}: {one.task}" for one in done if one.task)]
    if proof:
        trailers.append(f"{PROOF}: {proof}")
    return "\n\n".join(filter(None, (subject, body, also, "\n".join(trailers)))) + "\n"


def _split_subject(line: str) -> tuple[str, str]:
    """What has room in a subject, and the whole line where that is not all of it."""
    line = re.sub(r"\s+", " ", line).strip()
    if len(line) <= SUBJECT:
        return line.rstrip("."), ""
    cut = line[:SUBJECT].rpartition(" ")[0] or line[: SUBJECT - 1]
    return f"{cut.rstrip(' ,;:.')}…", line


def proof_words(engine: RunState) -> str:
    """What was measured of the files as they are, on one line; empty where no validation has passed."""
    last, proof = engine.last_validation, engine.proof
    if last is None or not last.passed:
        return ""
    passed = f"{plural(last.tests, 'test')} passed" if last.tests else "the validation passed"
    if proof is None or not proof.shown:
        return f"{passed}; none shows the goal"
    tests = proof.fail_to_pass
    if not tests:
        return passed
    more = f" and {len(tests) - SHOWN} more" if len(tests) > SHOWN else ""
    return f"{passed}; failed before, pass now: {', '.join(' '.join(test.split()) for test in tests[:SHOWN])}{more}"


def add_pending(state: R, done: PendingCommit | None) -> R:
    """With a task whose changes are to be committed, where the run commits."""
    branch = state.engine.branch
    if branch is None or done is None or not state.engine.settings.commit:
        return state
    return with_branch(state, pending=(*branch.pending, done))


def with_branch(state: R, **changes: Any) -> R:  # Any: checked by the model
    """With these facts about its branch."""
    branch = state.engine.branch
    assert branch is not None, "it has one"
    return state.evolve(engine=state.engine.evolve(branch=branch.evolve(**changes)))


def commit_tasks(run: "MeasuredRunContext[R]") -> None:
    """Commits what is pending, and adds the proof of a validation to the newest commit. A refusal is an incident."""
    state, branches = run.state(), run.branches
    branch = state.engine.branch
    if branches is None or branch is None or not state.engine.settings.commit:
        return
    told, made = [], None
    try:
        if branch.pending:
            one_by_one = all(one.files for one in branch.pending)
            files = [file for one in branch.pending for file in one.files] if one_by_one else []
            made = branches.commit(run.id, branch, commit_message(run.id, branch.pending), files)
            told += [f"the commit was refused, its changes stay: {made.refused}"] if made.refused else []
            told += [_of_submodules(made.left)] if made.left else []
        proof, last = proof_words(state.engine), state.engine.last_validation
        if proof and last and last.tree == run.workspace.tree(state.engine.run_writes):
            refused = branches.add_trailer(run.id, branch, f"{PROOF}: {proof}")
            told += [f"the proof was not added to the commit: {refused}"] if refused else []
    except LoopwrightError as error:
        told.append(f"nothing was committed: {error}")
    incidents = tuple(Incident(kind="not_committed", message=words, at=run.now()) for words in told)
    tip = "" if made is None or made.refused else made.tip

    def rule(latest: R) -> R:
        return add_incidents(with_branch(latest, pending=(), tip=tip) if tip else latest, incidents)

    if rule(state) is not state:
        run.commit(rule, "committed", commit=tip)
    for words in told:
        run.bus.publish("activity", words)


def _of_submodules(left: Iterable[str]) -> str:
    return f"changes in submodules are in no commit ({', '.join(left)}); loopwright apply brings them over"


def apply_work(service: "RunService[R]", id: str) -> R:
    """See RunService.apply."""
    branches = _allowed(service, id)
    if not service.read(id).engine.settings.worktree:
        raise Invalid(f"{id} works in your own tree: its changes are there already")
    with service.store.lease(id) as lease:
        state = service.store.read(id)
        branch = state.engine.branch
        if branch is None or branch.start is None:
            raise Invalid(f"{id} has not begun yet: there is nothing to apply")

        def note(type: str, files: Sequence[str], **changes: Any) -> R:  # Any: as with_branch
            event = JournalEvent(type=type, data={"files": len(files)})
            rule = lambda s: with_branch(s, **changes)  # noqa: E731
            return service.store.update(id, rule, actor=service.actor, event=event, epoch=lease.epoch)

        if branch.applying:  # a command before this one was killed
            _clear_torn(service.workspace, branch.applying)
        theirs = _result_of(service, branches, id, state)
        ours, merged = branches.merge(branch.start, theirs, service.workspace, f"{id} is applied")
        if merged.conflicts:
            raise Conflict(
                f"{_named(merged.conflicts)} conflict with what is in your tree, which was left as it is; commit your "
                f"changes and merge them by hand: loopwright branch {id}, then git merge {branch.name}"
            )
        files = tuple(change.file for change in service.workspace.changes(ours, merged.commit))
        if files:
            note("apply_begun", files, applying=PendingApply(before=ours, after=merged.commit, files=files))
            try:
                service.workspace.restore(merged.commit, files, over=ours)
            except Conflict:  # nothing was written
                note("apply_undone", files, applying=None)
                raise
            except (LoopwrightError, OSError):
                service.workspace.restore(ours, files)
                note("apply_undone", files, applying=None)
                raise
        return note("applied", files, applying=None, applied=theirs, applied_files=len(files))


def _clear_torn(workspace: Workspace, begun: PendingApply) -> None:
    """Puts files back that a killed `apply` has left half written: gone, or the beginning of what they should hold."""
    with tempfile.TemporaryDirectory(prefix="loopwright-apply-") as name:
        folders = before, after = Path(name) / "before", Path(name) / "after"
        for commit, folder in zip((begun.before, begun.after), folders, strict=True):
            workspace.export(commit, folder, paths=begun.files)
        texts = {file: [_bytes(root / file) for root in (workspace.root, before, after)] for file in begun.files}
    torn = [
        file
        for file, (now, old, new) in texts.items()
        if now not in (old, new) and (now is None or (new is not None and new.startswith(now)))
    ]
    if torn:
        workspace.restore(begun.before, torn)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def branch_work(service: "RunService[R]", id: str, name: str | None) -> R:
    """See RunService.branch."""
    branches = _allowed(service, id)
    with service.store.lease(id) as lease:
        state = service.store.read(id)

        def keep(branch: RunBranch, type: str) -> R:
            rule = lambda s: s.evolve(engine=s.engine.evolve(branch=branch))  # noqa: E731
            event = JournalEvent(type=type, data={"branch": branch.named or branch.name, "path": branch.path})
            return service.store.update(id, rule, actor=service.actor, event=event, epoch=lease.epoch)

        branch = state.engine.branch
        if branch is None:
            if state.engine.settings.worktree or not state.engine.checkpoints:
                raise Invalid(f"{id} has not begun yet: there is nothing to put on a branch")
            branch, _ = branches.plan(id)
            keep(branch, "worktree_planned")
        if not branch.is_ready or not branches.is_there(branch):
            kept = state.engine.checkpoints[-1].commit if state.engine.settings.worktree else None
            branch, _ = branches.lay_out(id, branch, kept)
            keep(branch, "worktree_ready")
        if not state.engine.settings.worktree:
            branch = _brought(branches, id, state, branch)
            keep(branch, "worktree_ready")
        pending = branch.pending or (PendingCommit(words=task_text(state)),)
        made = branches.commit(id, branch, commit_message(id, pending, proof_words(state.engine)))
        if made.refused:
            raise Conflict(f"the commit was refused, and its changes stay in {branch.path}: {made.refused}")
        if made.tip == branch.base:
            raise Invalid(f"{id} has changed nothing that a branch could hold")
        if name is not None:
            branches.name(name, made.tip, branch.tip if branch.named == name else None)
        return keep(branch.evolve(tip=made.tip, pending=(), named=name or branch.named), "branched")


def task_text(state: Run) -> str:
    """What it was to do, in the words it was given."""
    return str(getattr(state, "description", "")).strip() or state.title


def _brought(branches: RunBranches, id: str, state: Run, branch: RunBranch) -> RunBranch:
    """With what a run in the user's own tree has done since it was last brought to its branch. Conflict."""
    engine = state.engine
    base, theirs = branch.brought or engine.start or engine.checkpoints[0].commit, engine.checkpoints[-1].commit
    workspace = branches.workspace(branch)
    ours, merged = branches.merge(base, theirs, workspace, f"the work of {id}")
    if merged.conflicts:
        raise Conflict(
            f"{_named(merged.conflicts)} cannot be put on a branch: the run began with changes of yours that are in no "
            "commit; commit those, and try again"
        )
    if files := [change.file for change in workspace.changes(ours, merged.commit)]:
        workspace.restore(merged.commit, files, over=ours)
    return branch.evolve(brought=theirs)


def _result_of(service: "RunService[R]", branches: RunBranches, id: str, state: Run) -> str:
    """The run's files as they are, or as they last were where its worktree is gone."""
    branch = state.engine.branch
    assert branch is not None
    if branches.is_there(branch):
        return branches.workspace(branch).snapshot(id, "to be applied").commit
    if not state.engine.checkpoints:
        raise NotFound(f"the worktree of {id} is gone, and it has no checkpoint")
    return state.engine.checkpoints[-1].commit


def _allowed(service: "RunService[R]", id: str) -> RunBranches:
    """What makes branches, while no runner is at work and nothing within the run asks. Forbidden, Conflict, Invalid."""
    service.read(id)
    if service.processes.within(id):
        raise Forbidden(f"a {service.kind} cannot bring its own work into the project; only whoever started it can")
    if service.is_live(id):
        raise Conflict(f"{id} is running; wait until it ends, or pause it")
    if service.branches is None:
        raise Invalid(f"the work of a {service.kind} has no branch")
    return service.branches


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return f"{', '.join(files[:SHOWN])}{more}"
