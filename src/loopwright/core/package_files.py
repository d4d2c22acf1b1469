"""The files of this package, which tests and workers are started with, and whether they are what they were."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent.parent


def stamp_package(package: Path = PACKAGE) -> Mapping[str, tuple[int, int, int]]:
    """By file; any change of one sets its ctime, which no call sets back.

    Python writes compiled files as it loads ours; those of what tests load, it only reads.
    """
    return dict(_stamps(package))


def _stamps(folder: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    for at, folders, files in os.walk(folder):
        if "injected" not in at:
            folders[:] = [name for name in folders if name != "__pycache__"]
        for name in files:
            seen = os.lstat(path := os.path.join(at, name))
            yield path, (seen.st_ctime_ns, seen.st_size, seen.st_ino)


def changed_files(before: Mapping[str, tuple[int, int, int]], package: Path = PACKAGE) -> list[str]:
    """Those that are new, gone or not what they were, relative to the package."""
    now = stamp_package(package)
    return sorted({os.path.relpath(path, package) for path, _ in before.items() ^ now.items()})
