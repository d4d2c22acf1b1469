"""A run that follows every order to read holds very much of the skill at once: a hint, as orders exclude each other."""

from collections.abc import Iterator

from loopwright.skills.detectors.detector import Detector, DetectorHit, top
from loopwright.skills.detectors.reachable_calls import is_loaded
from loopwright.skills.reader.model import Skill

MUCH, FAR_TOO_MUCH = 30_000, 60_000
"""Tokens of all that is read."""
SHOWN = 5


def detect_eager_loading(skill: Skill) -> Iterator[DetectorHit]:
    loads: dict[str, list[str]] = {}
    for one in skill.references:
        if one.resolved is not None and one.resolved in skill.pages and is_loaded(one):
            loads.setdefault(one.at.file, []).append(one.resolved)
    read = {skill.main: None} if skill.main in skill.pages else {}
    todo = list(read)
    while todo:
        more = [path for path in loads.get(todo.pop(), ()) if path not in read]
        read.update(dict.fromkeys(more))
        todo += more
    sizes = {path: skill.pages[path].tokens for path in read}
    total = sum(sizes.values())
    if total < MUCH or len(read) < 2:
        return
    largest = sorted(sizes, key=lambda path: (-sizes[path], path))
    page = skill.pages[skill.main]
    yield DetectorHit(
        file=page.path,
        start=0,
        end=top(page),
        subject=skill.main,
        message=f"a run that follows every instruction to read holds about {total:,} tokens of {len(read)} files: "
        + ", ".join(f"{path} {sizes[path]:,}" for path in largest[:SHOWN]),
        also=tuple(f"{path}:1" for path in largest[:SHOWN]),
        severity="medium" if total >= FAR_TOO_MUCH else None,
    )


DETECTOR = Detector(
    rule="eager-loading",
    dimension="context",
    severity="low",
    confidence="hint",
    strategy="context_summarization",
    title="One run reads too much",
    why="What was read stays in the model's context window, and crowds out the work itself.",
    advice="Let each step read what it needs, and no more.",
    look=detect_eager_loading,
)
