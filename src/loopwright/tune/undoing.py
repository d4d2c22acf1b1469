"""Taking fixes out of a skill's files, where there is nobody to try it once more."""

from collections.abc import Iterable
from pathlib import Path

from loopwright.domain.errors import LoopwrightError, NotFound
from loopwright.ports import Skills


def undone(skills: Skills, root: Path, backups: Path, fixes: Iterable[str]) -> dict[str, str]:
    """In this order, as far as each of them got. By fix, in words, why it could not be done and what is left to do."""
    left: dict[str, str] = {}
    for fix in fixes:
        try:
            skills.roll_back(root, backups / fix)
        except NotFound:  # nothing was touched yet
            continue
        except (LoopwrightError, OSError) as error:
            left[fix] = f"{fix} is still in the skill's files: {error}; what they were lies in {backups / fix}"
    return left
