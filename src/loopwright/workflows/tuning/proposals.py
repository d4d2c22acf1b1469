"""A proposal as the state keeps it: with what each file was and becomes, and the diff of it."""

from collections.abc import Mapping, Sequence

from loopwright.skills.files import Rewrite, digest
from loopwright.skills.findings import Proposal
from loopwright.skills.fixes.diff import render_file_diff
from loopwright.skills.fixes.edits import contents_of
from loopwright.workflows.tuning.model import FileAction, FileChange, Fix


def fix_of(proposal: Proposal, files: Mapping[str, bytes], id: str, issue_ids: Sequence[str]) -> Fix:
    """The proposal as a fix of these files. Conflict where they are not what it was made for; Invalid for no texts."""
    changes = tuple(_change(file, files.get(file), new) for file, new in contents_of(proposal, files).items())
    return Fix(
        id=id, issue_ids=tuple(issue_ids), strategy=proposal.strategy, description=proposal.description,
        rationale=proposal.rationale, changes=changes, risk=proposal.risk, estimated_impact=proposal.estimated_impact,
        verification_steps=proposal.verification_steps,
    )  # fmt: skip


def rewrite_of(proposal: Proposal, files: Mapping[str, bytes]) -> Rewrite:
    """What has to be written, on the condition that the files are still these. Conflict, Invalid."""
    contents = contents_of(proposal, files)
    return Rewrite(contents, {file: digest(files[file]) if file in files else None for file in contents})


def _change(file: str, old: bytes | None, new: bytes | None) -> FileChange:
    action: FileAction = "create" if old is None else "delete" if new is None else "modify"
    diff = render_file_diff(file, old, new)
    return FileChange(
        file=file, action=action, old_content=None if old is None else old.decode(),
        new_content=None if new is None else new.decode(), diff=diff,
    )  # fmt: skip
