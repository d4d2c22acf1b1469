"""Which lines of a project are not as they were committed last: a fault is often where the last change is."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from loopwright.domain.errors import Invalid
from loopwright.workspace.private_git import git

_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")
_FILE = re.compile(r"\+\+\+ b/(.*?)\t?$")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_lines(root: Path) -> list[tuple[str, int]]:
    """Path below `root` and line, as the files are now; around what was only taken out. [] where there is no commit.

    A file that git does not know yet says nothing: all of it is new.
    """
    try:
        done = git("diff", "--unified=0", "--relative", *_PLAIN, "HEAD", "--", "*.py", cwd=root)
    except Invalid:  # there is no git
        return []
    return list(_read(os.fsdecode(done.stdout))) if done.returncode == 0 else []


def _read(diff: str) -> Iterator[tuple[str, int]]:
    file = ""
    for line in diff.splitlines():
        if found := _FILE.match(line):
            file = found[1]
        elif file and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            yield from ((file, n) for n in (range(first, first + count) if count else (first, first + 1)))
