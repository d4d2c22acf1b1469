"""Test runs in copies of the project that join the product of one snapshot with the tests of another."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from loopwright.domain.run import R
from loopwright.domain.test_material import is_mixed, is_test_material, settings_of
from loopwright.domain.testing import TestRun
from loopwright.engine.ground import TestedGround
from loopwright.engine.threads import in_thread
from loopwright.ports import FileChange


class Overlay(NamedTuple):
    """The files of the commit `product`, but for the `tests`: those are as `source` has them. Project-relative."""

    product: str
    source: str
    tests: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    """Those of the tests that `source` does not have."""


async def run_overlay(
    ground: TestedGround[R],
    overlay: Overlay,
    command: str,
    *,
    only: Sequence[str] = (),
    changed: Mapping[str, tuple[int, ...]] | None = None,
) -> TestRun:
    """One run of the tests there; see TestOrder for `only` and `changed`."""
    project = ground.workspace.root
    with tempfile.TemporaryDirectory(prefix="loopwright-copy-", ignore_cleanup_errors=True) as name:
        copy = Path(name).resolve() / project.name
        await in_thread(_lay_out, ground, overlay, copy)
        order = ground.test_order(command.replace(str(project), str(copy)))
        return await ground.tests.run(replace(order, at=copy, only=tuple(only), changed=changed or {}))


def _lay_out(ground: TestedGround[R], overlay: Overlay, copy: Path) -> None:
    ground.workspace.export(overlay.product, copy, without=overlay.tests)
    ground.workspace.export(overlay.source, copy, paths=[file for file in overlay.tests if file not in overlay.absent])
    ground.workspace.bring_ignored(copy)


def split_material(
    ground: TestedGround[R], first: str, now: str, collected: frozenset[str] = frozenset()
) -> tuple[tuple[FileChange, ...], tuple[FileChange, ...]]:
    """What differs between two snapshots: test material, and the product. Without what test runs left behind.

    `collected`: files that hold tests, whatever they are called.
    """
    written = frozenset(ground.state().engine.run_writes)
    changes = [change for change in ground.workspace.changes(first, now) if change.file not in written]
    mixed = _differing_settings(ground, first, now, [c.file for c in changes if is_mixed(c.file)])
    names = {c.file for c in changes if is_test_material(c.file) or c.file in mixed or c.file in collected}
    tests = tuple(change for change in changes if change.file in names)
    return tests, tuple(change for change in changes if change.file not in names)


def _differing_settings(ground: TestedGround[R], first: str, now: str, files: Sequence[str]) -> frozenset[str]:
    """Those of the mixed files that say something else about the tests than they did."""
    texts = read_versions(ground, first, now, files)
    return frozenset(
        file for file, (before, after) in texts.items() if _settings(file, before) != _settings(file, after)
    )


def _settings(file: str, data: bytes | None) -> object:
    return settings_of(file, data.decode("utf-8", "replace")) if data is not None else None


def read_versions(
    ground: TestedGround[R], first: str, now: str, files: Sequence[str]
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Both contents of each file; None where a snapshot does not hold it."""
    if not files:
        return {}
    with tempfile.TemporaryDirectory(prefix="loopwright-versions-") as name:
        before, after = Path(name, "before"), Path(name, "after")
        ground.workspace.export(first, before, paths=files)
        ground.workspace.export(now, after, paths=files)
        return {file: (_read(before / file), _read(after / file)) for file in files}


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None
