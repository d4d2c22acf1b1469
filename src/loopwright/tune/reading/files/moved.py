"""Which file a dead reference most likely means."""

from posixpath import dirname, relpath

from loopwright.tune.reading.words.likeness import alike
from loopwright.tune.skill.model import Reference, Skill

SURE = 0.6
FOLDER = 0.15
"""What it counts that a file lies in the folder that is named."""
UNUSED = 0.1
"""What it counts that nothing else names the file."""


def instead_of(skill: Skill, dead: Reference) -> str | None:
    """The file of the same name elsewhere, or of the most similar name beside it; None where that is not clear."""
    base, ending = _split(dead.target)
    same = [path for path in skill.files if path.rsplit("/", 1)[-1].lower() == dead.target.rsplit("/", 1)[-1].lower()]
    if len(same) == 1:
        return same[0]
    named: set[str] | None = None
    scored: list[tuple[float, str]] = []
    for path in skill.files:
        other, kind = _split(path)
        likeness = alike(base, other)
        if kind != ending or path in (skill.main, dead.at.file) or likeness < SURE - FOLDER - UNUSED:
            continue
        if named is None:
            named = {one.resolved for one in skill.references if one.resolved}
        beside = dirname(path) == dirname(dead.target)
        scored.append((likeness + FOLDER * beside + UNUSED * (path not in named), path))
    scored.sort(reverse=True)
    if not scored or scored[0][0] < SURE:
        return None
    return None if len(scored) > 1 and scored[0][0] - scored[1][0] < 0.05 else scored[0][1]


def seen_from(dead: Reference, right: str) -> str:
    """The path as the page writes its paths: from the page, or from the skill's folder."""
    folder = dirname(dead.at.file)
    relative = dead.raw.startswith(("../", "./")) or (dead.kind == "link" and bool(folder))
    if not relative:
        head, found, _ = dead.raw.partition(dead.target)
        return head + right if found else right
    path = relpath(right, folder or ".")
    return path if path.startswith("../") or not dead.raw.startswith("./") else "./" + path


def _split(path: str) -> tuple[str, str]:
    base, _, ending = path.rsplit("/", 1)[-1].rpartition(".")
    return base, ending.lower()
