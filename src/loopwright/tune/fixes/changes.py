"""What a proposal makes of a skill's files, as the state keeps it and as it is written."""

from collections.abc import Mapping, Sequence

from loopwright.domain.errors import Conflict, Invalid
from loopwright.domain.findings import Proposal
from loopwright.domain.skill_files import Rewrite, digest
from loopwright.domain.tuning import FileAction, FileChange, Fix
from loopwright.tune.fixes.diff import unified
from loopwright.tune.fixes.edits import applied


def fix_of(proposal: Proposal, files: Mapping[str, bytes], id: str, issue_ids: Sequence[str]) -> Fix:
    """The proposal as a fix of these files. Conflict where they are not what it was made for; Invalid for no texts."""
    changes = tuple(_change(file, files.get(file), new) for file, new in contents_of(proposal, files).items())
    return Fix(
        id=id, issue_ids=tuple(issue_ids), strategy=proposal.strategy, description=proposal.description,
        rationale=proposal.rationale, changes=changes, risk=proposal.risk, estimated_impact=proposal.estimated_impact,
        verification_steps=proposal.verification_steps,
    )  # fmt: skip


def rewrite_of(proposal: Proposal, files: Mapping[str, bytes]) -> Rewrite:
    """What has to be written, on the condition that the files are still these."""
    contents = contents_of(proposal, files)
    return Rewrite(contents, {file: digest(files[file]) if file in files else None for file in contents})


def contents_of(proposal: Proposal, files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """By name what each file that it touches becomes; None: it is deleted. Conflict, Invalid."""
    contents: dict[str, bytes | None] = {}
    for file in proposal.files:
        now = files.get(file)
        edits = [edit for edit in proposal.edits if edit.file == file]
        if bool(edits) + (file in proposal.creates) + (file in proposal.deletes) > 1:
            raise Invalid(f"{file} is to be changed in two ways at once; one of edit, create and delete is right")
        if (now is None) != (file in proposal.creates):
            raise Conflict(f"{file} {'exists already' if now is not None else 'is gone'}: the fix was made before that")
        if file in proposal.creates:
            contents[file] = proposal.creates[file].encode()
        else:
            contents[file] = None if file in proposal.deletes else applied(now or b"", edits)
        if contents[file] == now:
            raise Invalid(f"the fix leaves {file} as it is")
    return contents


def _change(file: str, old: bytes | None, new: bytes | None) -> FileChange:
    action: FileAction = "create" if old is None else "delete" if new is None else "modify"
    diff = unified(file, old, new)
    return FileChange(
        file=file, action=action, old_content=None if old is None else old.decode(),
        new_content=None if new is None else new.decode(), diff=diff,
    )  # fmt: skip
