"""Which lines of a project are not as they were committed last: a fault is often where the last change is."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from loopwright.domain.errors import Invalid
from loopwright.workspace.patience import Patience
from loopwright.workspace.process import run_group

_SECONDS = 10.0
_DIFF = (
    "git", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "diff", "--unified=0",
    "--relative", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
    "HEAD", "--", "*.py",
)  # fmt: skip
_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_FILE = re.compile(r"\+\+\+ b/(.*?)\t?$")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


async def changed_lines(root: Path, marker: str) -> list[tuple[str, int]]:
    """Path below `root` and line, as the files are now; around what was only taken out. [] where there is no commit.

    A file that git does not know yet says nothing: all of it is new. `marker` tags git's process.
    """
    try:
        done = await run_group(_DIFF, cwd=root, marker=marker, patience=Patience(_SECONDS), env=_ENVIRONMENT)
    except Invalid:  # there is no git
        return []
    return list(_read(done.output)) if done.exit_code == 0 and not done.truncated else []


def _read(diff: str) -> Iterator[tuple[str, int]]:
    file = ""
    for line in diff.splitlines():
        if found := _FILE.match(line):
            file = found[1]
        elif file and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            yield from ((file, n) for n in (range(first, first + count) if count else (first, first + 1)))
