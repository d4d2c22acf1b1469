"""Files of a run that are written under one name and read under another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.reading.files.runfiles import RunFile, is_named_elsewhere, likeness, lines_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Skill
from loopwright.tune.skill.names import COUNTING, DIR

LEAST, SURE = 0.6, 0.75


@dataclass(frozen=True, slots=True)
class Renamed:
    """`wrong` is what fewer pages say; `because`: what shows that both are one file."""

    wrong: RunFile
    right: RunFile
    because: str


def renamed(skill: Skill, files: Mapping[str, RunFile]) -> Iterator[Renamed]:
    unread = [file for file in files.values() if _is_unread(skill, file)]
    unmade = [file for file in files.values() if _is_unmade(file)]
    done: set[str] = set()
    for file in unread:
        best = max(((_alike(skill, file, other), other.name) for other in unmade), default=(0.0, ""))
        if best[0] < LEAST:
            continue
        other = files[best[1]]
        done |= {file.name, other.name}
        promised = best[0] == 1.0
        wrong, right = (file, other) if promised or len(file.pages) <= len(other.pages) else (other, file)
        yield Renamed(wrong, right, "the overview promises it" if promised else "")
    made = [file for file in files.values() if file.made and file.name not in done]
    for file in unmade:
        if file.name in done or file.promised or any(one.optional for one in file.all):
            continue
        best = max(((likeness(file.name, other.name), other.name) for other in made), default=(0.0, ""))
        # A page that knows only the other name means that file.
        apart = bool(best[1]) and not file.pages & files[best[1]].pages
        least = (LEAST if apart else SURE) if file.name.startswith(DIR) else 0.85
        if best[0] < least or len(file.pages) > len(files[best[1]].pages):
            continue
        if not _beside(skill, file, files[best[1]]):
            yield Renamed(file, files[best[1]], "")


def _is_unread(skill: Skill, file: RunFile) -> bool:
    """Made on one page, and nothing else knows of it."""
    if not file.made or file.expected or file.promised:
        return False
    own = {one.at.file for one in file.made}
    return (
        len(own) == 1
        and not any(one.at.file not in own for one in file.all)
        and not is_named_elsewhere(skill, file, own)
    )


def _is_unmade(file: RunFile) -> bool:
    handed_on = any(one.at.use == "prompt" and one.mode != "write" for one in file.named)
    return not file.made and bool(file.needed or file.expected or handed_on or (file.promised and file.named))


def _alike(skill: Skill, file: RunFile, other: RunFile) -> float:
    """1.0: the overview's row of the page that makes the one file promises the other."""
    if file.name.rsplit(".", 1)[-1] != other.name.rsplit(".", 1)[-1]:
        return 0.0
    maker = file.made[0].at.file
    if maker in {one.at.file for one in (*other.needed, *other.named)} and not other.promised:
        return 0.0
    if any(maker in _row(skill, one) for one in other.promised):
        return 1.0
    value = likeness(file.name, other.name)
    return value if COUNTING not in file.name or value >= 0.8 else 0.0


def _row(skill: Skill, one: Artefact) -> str:
    page = skill.pages[one.at.file]
    block = page.blocks[block_at(page, one.at.start)]
    return page.text[block.start : block.end]


def _beside(skill: Skill, one: RunFile, other: RunFile) -> bool:
    """Both are named in one line, if without its folder, so that they are two files."""
    pieces = [piece for piece in other.base.split(COUNTING) if len(piece) > 3]
    lines = [lines_of(skill.pages[a.at.file], a) for a in one.all]
    if not all(piece in one.base for piece in pieces) and any(all(p in line for p in pieces) for line in lines):
        return True
    return bool({(a.at.file, a.at.line) for a in one.all} & {(a.at.file, a.at.line) for a in other.all})
