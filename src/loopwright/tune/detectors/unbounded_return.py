"""An agent may answer at any length, and its answer comes back into the context of whoever called it."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.returns import Return, returns
from loopwright.tune.skill.model import Skill

LIMITED = 0.5
"""The share of prompts with a limit that makes it expected in the rest."""


def look(skill: Skill) -> Iterator[Hit]:
    said = tuple(returns(skill))
    limited = [one for one in said if one.size is not None]
    for one in said:
        if one.is_short:
            continue
        siblings = len(limited) >= 2 and len(limited) / len(said) >= LIMITED
        if siblings:
            yield _hit(one, limited[0])
        elif one.wants_everything:
            yield _hit(one, limited[0] if limited else None)


def _hit(one: Return, model: Return | None) -> Hit:
    first, size = one.text.strip().splitlines()[0][:80], model.size if model else None
    place = _place(model) if model else ""
    beside = f" ({place} says: {size})" if model else ""
    return Hit(
        file=one.page.path, start=one.start, end=min(one.end, one.start + len(one.text.rstrip())),
        subject=" ".join(first.split()), message=f"the agent's answer has no limit: {first}{beside}",
        also=(place,) if place else (), severity="high" if one.wants_everything else None,
        advice=f"Say how much it may return, such as {size or 'at most 15 lines'}; details belong into a file.",
        facts={"size": size or ""},
    )  # fmt: skip


def _place(model: Return) -> str:
    return f"{model.page.path}:{model.page.text.count(chr(10), 0, model.start) + 1}"


DETECTOR = Detector(
    rule="unbounded-return",
    dimension="context",
    severity="medium",
    confidence="likely",
    strategy="context_summarization",
    title="An agent's answer has no limit",
    why="What agents return stays in the caller's context to the end; a few long answers push out the instructions.",
    advice="Say how much it may return, and let it write details to a file.",
    look=look,
)
