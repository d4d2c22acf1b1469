"""A workspace without a disk, for tests of what stands above it."""

import difflib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from loopwright.core.errors import Conflict, NotFound
from loopwright.core.ids import check_id
from loopwright.core.ports import FileChange, FileLayer, Snapshot
from loopwright.evidence.environment import Environment, Manifests


class FakeWorkspace:
    """See ports.Workspace. `files` is the work tree: change it as an agent would.

    `kept`: the files of each snapshot; `before`: the one that it follows; `last`: each run's last.
    """

    def __init__(self, files: Mapping[str, bytes] | None = None, root: Path = Path("/project")) -> None:
        self.files = dict(files or {})
        self._root = root
        self.kept: dict[str, dict[str, bytes]] = {}
        self.before: dict[str, str] = {}
        self.last: dict[str, str] = {}

    @property
    def root(self) -> Path:
        return self._root

    def listed(self) -> Sequence[str]:
        return sorted(self.files)

    def tree(self, without: Sequence[str] = ()) -> str:
        return _digest(
            *(f"{name}\0{_digest(data)}" for name, data in sorted(self.files.items()) if not _is_among(name, without))
        )

    def distrust(self) -> None:
        """It looks at everything each time."""

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        tree = self.tree()
        if (last := self.last.get(check_id(loop_id))) is not None and self.kept[last] == self.files:
            return Snapshot(last, tree)
        commit = _digest(tree, label, self.last.get(check_id(loop_id), ""), str(len(self.kept)))
        self.kept[commit] = dict(self.files)
        if loop_id in self.last:
            self.before[commit] = self.last[loop_id]
        self.last[loop_id] = commit
        return Snapshot(commit, tree)

    def snapshot_commit(self, loop_id: str, revision: str) -> Snapshot | None:
        return None

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        old, new = self._files_of(before), self._files_of(after)
        return tuple(
            FileChange(name, "create" if name not in old else "delete" if name not in new else "modify")
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name)
        )

    def diff(self, before: str, after: str) -> str:
        old, new = self._files_of(before), self._files_of(after)
        return "".join(
            line
            for name, _ in self.changes(before, after)
            for line in (
                f"diff --git a/{name} b/{name}\n",
                *difflib.unified_diff(_lines(old, name), _lines(new, name), f"a/{name}", f"b/{name}"),
            )
        )

    def export(self, commit: str, to: Path, *, paths: Sequence[str] | None = None, without: Sequence[str] = ()) -> None:
        for name, data in self._files_of(commit).items():
            if (paths is None or _is_among(name, paths)) and not _is_among(name, without):
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                (to / name).write_bytes(data)

    def bring_ignored(self, to: Path) -> Sequence[bytes]:
        """It ignores nothing."""
        return ()

    def lay_out_sealed(self, commit: str, to: Path, *, start: str | None, remembered: str | None) -> None:
        """It ignores nothing, and has no links."""
        self.export(commit, to)

    def layer(self, commit: str, to: Path, *, source: str, paths: Sequence[str] = ()) -> FileLayer | None:
        """It has no place for one to lie over."""
        return None

    def restore(self, commit: str, paths: Sequence[str] | None = None, *, over: str | None = None) -> None:
        kept = self._files_of(commit)
        chosen = [name for name in self.files.keys() | kept.keys() if paths is None or _is_among(name, paths)]
        known = self.files if over is None else self._files_of(over)
        for name in chosen:
            if self.files.get(name) not in (known.get(name), kept.get(name)):
                raise Conflict(f"{name} changed meanwhile in the project")
        for name in chosen:
            if name in kept:
                self.files[name] = kept[name]
            else:
                del self.files[name]

    def replace_text(self, file: str, old: str, new: str) -> bool:
        if self.files.get(file) != old.encode():
            return False
        self.files[file] = new.encode()
        return True

    def remember_environment(self, loop_id: str, command: str, pythons: Sequence[str]) -> str:
        return "nothing"

    def changed_environment(
        self, remembered: str, command: str, pythons: Sequence[str], manifests: Callable[[], Manifests]
    ) -> Environment:
        return Environment()

    def forget(self, loop_id: str) -> None:
        self.last.pop(check_id(loop_id), None)

    def _files_of(self, commit: str) -> dict[str, bytes]:
        if commit not in self.kept:
            raise NotFound(f"There is no snapshot {commit}")
        return self.kept[commit]


def _is_among(name: str, paths: Sequence[str]) -> bool:
    return any(name == path.rstrip("/") or name.startswith(path.rstrip("/") + "/") for path in paths)


def _lines(files: Mapping[str, bytes], name: str) -> list[str]:
    return files.get(name, b"").decode("utf-8", "replace").splitlines(keepends=True)


def _digest(*parts: str | bytes) -> str:
    whole = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        whole.update(part.encode("utf-8", "replace") if isinstance(part, str) else part)
        whole.update(b"\1")
    return whole.hexdigest()
