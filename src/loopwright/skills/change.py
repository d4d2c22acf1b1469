"""Changes a skill's files, and undoes that: after a crash at any moment all files are what they were, or can be.

Everything that needs room on the disk is written first, beside the files: contents take their places only when all of
them are there.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from loopwright.domain.errors import Conflict, Invalid, LoopwrightError, WorkspaceError
from loopwright.domain.skill_files import Rewrite, digest
from loopwright.skills import backup as backups
from loopwright.skills.backup import Kept, Manifest
from loopwright.skills.names import checked, is_left_out
from loopwright.skills.tree import ODD, Look, Owned, Tree, told


def apply(root: Path, change: Rewrite, backup: Path) -> dict[str, str | None]:
    """See `ports.Skills.apply`. Where a crash has left a backup of the same beginnings, it is undone first."""
    for name in {*change.contents, *change.expected}:
        checked(name)
    if unsaid := sorted(change.contents.keys() - change.expected.keys()):
        raise Invalid(f"it is not said what {', '.join(unsaid)} should hold now; name a digest, or None for no file")
    _require_apart(root, backup)
    with told(f"{root} can not be changed, and is as it was"), Tree.locked(root) as tree:
        _clean_up_after_a_crash(tree, change, backup)
        looks = _as_expected(tree, change)
        manifest = _manifest(tree, change, looks)
        backups.keep(backup, manifest, [_unchanged(tree, file) for file in manifest.files if file.before is not None])
        try:
            _write(tree, change, manifest)
        except BaseException as error:
            _undo(tree, manifest, backup, error)
            raise
    return {file.name: file.after for file in manifest.files}


def roll_back(root: Path, backup: Path) -> dict[str, str | None]:
    """See `ports.Skills.roll_back`. Corrupt, and nothing was written, for a backup that is damaged."""
    manifest = backups.require_manifest(backup)
    with told(f"{root} can not be rolled back, or not all of it; do it again"), Tree.locked(root) as tree:
        _restore(tree, manifest, backup)
    return {file.name: file.before for file in manifest.files}


def _require_apart(root: Path, backup: Path) -> None:
    """A backup may lie in a hidden folder of a skill that is a whole project, and nowhere else below it."""
    real, inside = Path(os.path.realpath(root)), Path(os.path.realpath(backup))
    if inside.is_relative_to(real) and not any(is_left_out(part) for part in inside.relative_to(real).parts):
        raise Invalid(f"the backup {backup} would be part of the skill; a folder outside of {root} is right")


def _clean_up_after_a_crash(tree: Tree, change: Rewrite, backup: Path) -> None:
    manifest = backups.manifest_of(backup)
    if manifest is None:
        return
    if any(change.expected.get(file.name, ODD) != file.before for file in manifest.files):
        raise Conflict(f"the backup {backup} holds another change; every change needs a folder of its own")
    _restore(tree, manifest, backup)


def _as_expected(tree: Tree, change: Rewrite) -> Mapping[str, Look | None]:
    looks = {name: tree.look(name) for name in change.expected}
    for name, look in looks.items():
        if look is not None and look.digest == ODD:
            raise Invalid(f"{name} is no plain file, or lies behind a link: nothing is written through that")
    changed = sorted(name for name, look in looks.items() if _digest(look) != change.expected[name])
    if changed:
        raise Conflict(f"{', '.join(changed)} changed since it was read: diagnose the skill again, then fix it")
    return looks


def _unchanged(tree: Tree, file: Kept) -> bytes:
    data = tree.read(file.name)
    if digest(data) != file.before:
        raise Conflict(f"{file.name} was changed by somebody else meanwhile")
    return data


def _manifest(tree: Tree, change: Rewrite, looks: Mapping[str, Look | None]) -> Manifest:
    files = []
    for name, data in sorted(change.contents.items()):
        look = looks[name]
        owned = look.owned if look else Owned(0, 0, 0)
        files.append(
            Kept(name=name, before=_digest(look), after=None if data is None else digest(data), **owned._asdict())
        )
    made = tree.missing_folders([file.name for file in files if file.after is not None])
    return Manifest(files=tuple(files), folders=made)


def _write(tree: Tree, change: Rewrite, manifest: Manifest) -> None:
    for folder in manifest.folders:
        tree.make_folder(folder)
    for file in manifest.files:
        data = change.contents[file.name]
        if data is not None:
            tree.stage(file.name, data, file.owned if file.before is not None else None)
    for file in manifest.files:
        if _digest(tree.look(file.name)) != file.before:
            raise Conflict(f"{file.name} was changed by somebody else meanwhile")
        if file.after is not None:
            tree.commit(file.name)
        elif file.before is not None:
            tree.remove(file.name)
    tree.sync()


def _undo(tree: Tree, manifest: Manifest, backup: Path, error: BaseException) -> None:
    """What somebody else has changed meanwhile is left as it is."""
    try:
        for file in manifest.files:
            tree.discard(file.name)
        ours = [file for file in manifest.files if _digest(tree.look(file.name)) in (file.before, file.after)]
        _restore(tree, manifest.evolve(files=tuple(ours)), backup)
    except (OSError, LoopwrightError) as worse:
        raise WorkspaceError(
            f"the skill could not be changed ({error}), nor put back as it was ({worse}): roll back {backup} later"
        ) from error


def _restore(tree: Tree, manifest: Manifest, backup: Path) -> None:
    """Every file is the before or the after of the manifest; all of them become the before."""
    looks = {file.name: _digest(tree.look(file.name)) for file in manifest.files}
    if strange := [file.name for file in manifest.files if looks[file.name] not in (file.before, file.after)]:
        raise Conflict(f"{', '.join(strange)} changed since the fix: what somebody else has written is not overwritten")
    changed = [file for file in manifest.files if looks[file.name] != file.before]
    lost = [(file, backups.content(backup, file)) for file in changed if file.before is not None]
    for file in manifest.files:
        tree.discard(file.name)
    for folder in tree.missing_folders([file.name for file, _ in lost]):
        tree.make_folder(folder)
    for file, data in lost:
        tree.stage(file.name, data, file.owned)
    for file in changed:
        if file.before is None:
            tree.remove(file.name)
        else:
            tree.commit(file.name)
    for folder in reversed(manifest.folders):
        tree.remove_folder(folder)
    tree.sync()


def _digest(look: Look | None) -> str | None:
    return look.digest if look else None
