"""Whether what is kept of a run is what loopwright wrote: journal, state file, and the objects of its checkpoints."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwright.core.run import Run
from loopwright.store.files import FileStore
from loopwright.wiring.places import checkpoints_folder
from loopwright.workspace.checkpoints import private_directory
from loopwright.workspace.private_git import PrivateGit

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.wiring import Engine


@dataclass(frozen=True)
class Verification:
    """`lines` of the journal that are believed, `adopted` among them that were trusted on first use or taken over.

    `state`: the last one that is believed, None where there is none; `journal`: SHA-256 of the believed lines.
    """

    lines: int
    adopted: int
    checkpoints: int
    findings: tuple[str, ...]
    state: Run | None
    journal: str


def verify_run(engine: "Engine", service: "RunService[Any]", id: str) -> Verification:  # Any: states of its kind
    """Looks at everything, and changes nothing. NotFound where nothing was ever known of it."""
    from loopwright.core.errors import Corrupt, NewerSchema, NotFound

    store = service.store
    assert isinstance(store, FileStore)
    check = store.check(id)
    try:
        state: Run | None = service.read(id)
    except NotFound:
        if not check.troubles:
            raise
        state = None
    except (Corrupt, NewerSchema) as error:
        return Verification(check.lines, check.adopted, 0, (*check.troubles, str(error)), None, "")
    checkpoints = state.engine.checkpoints if state else ()
    findings = (*check.troubles, *_find_in_snapshots(engine, state)) if state else check.troubles
    journal = hashlib.sha256(store.journal(id)).hexdigest() if state else ""
    return Verification(check.lines, check.adopted, len(checkpoints), findings, state, journal)


def accept_run(service: "RunService[Any]", id: str) -> None:  # Any: as above
    """Believes what is there, as a person says."""
    assert isinstance(service.store, FileStore)
    service.store.accept(id, actor=service.actor)


def _find_in_snapshots(engine: "Engine", state: Run) -> tuple[str, ...]:
    """What is missing or damaged of the checkpoints, by their hashes."""
    checkpoints = state.engine.checkpoints
    if not checkpoints:
        return ()
    directory = private_directory(checkpoints_folder(engine.config.settings), engine.project)
    if not (directory / "HEAD").exists():
        return (f"its checkpoints: {directory} is not there",)
    git = PrivateGit(directory, engine.project)
    asked = "".join(f"{one.commit}^{{tree}}\n" for one in checkpoints)
    found = git.attempt("cat-file", "--batch-check", stdin=asked.encode()).stdout.decode().splitlines()
    wrong = [
        f"checkpoint {one.n}: its commit {one.commit[:12]} {'is missing' if 'missing' in line else 'has other files'}"
        for one, line in zip(checkpoints, [*found, *["missing"] * len(checkpoints)], strict=False)
        if line.split()[:1] != [one.tree]
    ]
    validated = state.engine.last_validation
    tree = validated.tree if validated and state.engine.outcome == "succeeded" else None
    if tree and git.attempt("cat-file", "-e", f"{tree}^{{tree}}").returncode:
        wrong.append(f"its last validation: the tree {tree[:12]} is missing")
    heads = [one.commit for one, line in zip(checkpoints, found, strict=False) if line.split()[:1] == [one.tree]]
    done = git.attempt("fsck", "--no-dangling", "--no-progress", "--no-reflogs", *heads)
    words = (done.stdout + done.stderr).decode(errors="replace").splitlines()
    damaged = [f"its checkpoints: {line}" for line in words if line.strip()] or ["its checkpoints: git fsck fails"]
    return (*wrong, *(damaged[:20] if done.returncode else ()))
