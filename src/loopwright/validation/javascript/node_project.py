"""Tests for Node's own runner, found by the names and first lines of files."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = frozenset({"node_modules", "build", "dist", "coverage"})
_MODULE = re.compile(r".*\.[cm]?js")
_TEST = re.compile(r"(test|test-.*|.*[._-]test)\.[cm]?js")
_IMPORT = re.compile(rb"""['"]node:test['"]""")
_MOST_FILES = 2000


def has_tests(root: Path) -> bool:
    """Whether `node --test` would find a file here that imports node:test."""
    return any(_IMPORT.search(path.read_bytes()) for path in _candidates(root))


def _candidates(root: Path) -> Iterator[Path]:
    """Files that the runner takes for tests: by their names, or anything in a folder `test`."""
    seen = 0
    for at, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        inside = "test" in Path(at).relative_to(root).parts
        for name in sorted(files):
            if (_MODULE if inside else _TEST).fullmatch(name) and os.path.isfile(path := os.path.join(at, name)):
                seen += 1
                yield Path(path)
        if seen > _MOST_FILES:
            return
