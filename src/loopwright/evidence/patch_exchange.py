"""A rival in the place of the patch that was applied: in the files, and in what is known of the run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loopwright.core.errors import Conflict, Forbidden, NotFound
from loopwright.core.ports import Prompter, Workspace
from loopwright.core.record import JournalEvent
from loopwright.core.run import R
from loopwright.core.run_commands import RunAccess
from loopwright.evidence.debugging import Patch, SearchFindings, record_patch
from loopwright.evidence.rivals import (
    AppliedPatch,
    Rival,
    choice_words,
    comparison_words,
    rival_of,
    texts_with,
    texts_without,
)


@dataclass(frozen=True)
class PatchExchange:
    """The rival that was taken and by whom; commits with neither edit, and with this one."""

    id: str
    by: str
    before: str
    after: str


def take_rival(
    runs: RunAccess[R],
    id: str,
    rival: str,
    *,
    patches: Callable[[R], Iterable[AppliedPatch]],
    landed: Callable[[R, PatchExchange], R],
) -> R:
    """Exchanges it while no runner is at work. NotFound; Conflict, and nothing was written, where that is not possible.

    `landed`: the state with what was taken, which must refuse whatever cannot go on from there.
    """
    if runs.processes.within(id):
        raise Forbidden(f"a {runs.kind} cannot choose among its own patches; only whoever started it can")
    if runs.is_live(id):
        raise Conflict(f"{id} is running; wait until it ends, or pause it, then choose {rival}")
    patch, other = rival_of(patches(runs.read(id)), rival)
    landed(runs.read(id), PatchExchange(rival, runs.actor, "", ""))
    with runs.store.lease(id) as lease:
        taken = exchange_patch(runs.workspace_of(runs.read(id)), id, patch, other, runs.actor)
        return runs.store.update(
            id,
            lambda state: landed(state, taken),
            actor=runs.actor,
            event=JournalEvent(type="rival_taken", data={"rival": rival}),
            epoch=lease.epoch,
        )


async def choose_patch(person: Prompter, findings: SearchFindings, patch: Patch) -> tuple[Patch, str | None]:
    """What the person takes of the edits that the tests cannot tell apart: the patch itself, or a rival by its id."""
    comparison = findings.comparison
    if comparison is None or not findings.rivals:
        return patch, None
    offered = choice_words(record_patch(patch, comparison))
    question = f"{comparison_words(comparison)}. Which of them is right?"
    chosen = None
    while chosen is None:
        told = (await person.ask(question, tuple(offered.values()))).strip()
        chosen = next((id for id, words in offered.items() if told in (id, words)), None)
    by_id = {one.id: rival for one, rival in zip(comparison.rivals, findings.rivals, strict=True)}
    return (by_id[chosen], chosen) if chosen in by_id else (patch, None)


def exchange_patch(workspace: Workspace, id: str, patch: AppliedPatch, rival: Rival, by: str) -> PatchExchange:
    """Takes the patch out of the files and puts the rival in. Conflict where somebody has changed them there."""
    texts = {file: _text(workspace.root, file) for file in (patch.file, rival.file)}
    bare = texts_without(patch, texts)
    new = texts_with(rival, bare)
    snapshot = partial(workspace.snapshot, id)
    _write(workspace, texts, bare)
    before = snapshot(f"without {patch.fingerprint}")
    try:
        _write(workspace, bare, new)
    except Conflict:
        _write(workspace, bare, texts)
        raise
    return PatchExchange(rival.id, by, before.commit, snapshot(f"after {rival.id}").commit)


def _write(workspace: Workspace, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for file, text in new.items():
        if text != old[file] and not workspace.replace_text(file, old[file], text):
            raise Conflict(f"{file} is being changed by another process; try again")


def _text(root: Path, file: str) -> str:
    path = root / file
    if path.is_symlink() or not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
        raise NotFound(f"{file} no longer exists, or is not a file of the project")
    return path.read_bytes().decode()
