"""An agent may answer at any length, and its answer comes back into the context of whoever called it."""

import re
from collections.abc import Iterator, Sequence

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.answers import carried, unlimited
from loopwright.tune.reading.prompts.returns import Return, returns, told, unused
from loopwright.tune.reading.words.sayings import Saying
from loopwright.tune.skill.model import At, Page, Skill

LIMITED = 0.5
"""The share of prompts with a limit that makes it expected in the rest."""

_OPTION = re.compile(r"\W*label[\"']?\s*:", re.IGNORECASE)
"""An answer that the user may choose."""


def look(skill: Skill) -> Iterator[Hit]:
    said = tuple(returns(skill))
    limited = [one for one in said if one.size is not None]
    for one in said:
        if one.is_short:
            continue
        siblings = len(limited) >= LIMITED * len(said) and (
            len(limited) >= 2 or any(other.page is one.page for other in limited)
        )
        if siblings:
            yield _hit(one, limited[0])
        elif one.wants_everything:
            yield _hit(one, limited[0] if limited else None)
    for page, start, name, size in unused(skill):
        yield _of_limit(skill, (page, start, name, size), [one for one in said if not one.is_short] or said)
    for at, expression in carried(skill):
        yield _of_file(at, expression)
    for saying in told(skill):
        if not any(_holds(one, saying) for one in said) and not _OPTION.match(saying.text):
            yield _of_words(saying, limited[0] if limited else None)
    for saying in unlimited(skill):
        if _OPTION.match(saying.text):
            continue
        if not any(_holds(one, saying) and one.wants_everything and not one.is_short for one in said):
            yield _of_words(saying, limited[0] if limited else None)


def _holds(one: Return, saying: Saying) -> bool:
    return one.page is saying.page and one.start <= saying.start < one.end


def _of_file(at: At, expression: str) -> Hit:
    return Hit(
        file=at.file, start=at.start, end=at.end, subject=expression[:60], phase=at.phase,
        message=f"what is given back holds a whole file: {expression[:80]}",
        advice="Give back the first lines, or what counts, and the path of the file.", facts={"file": expression},
    )  # fmt: skip


def _of_limit(skill: Skill, limit: tuple[Page, int, str, str], free: Sequence[Return]) -> Hit:
    """At the one prompt without a limit, or else where the limit is declared."""
    page, start, name, size = limit
    place = f"{page.path}:{page.text.count(chr(10), 0, start) + 1}"
    one = free[0] if len(free) == 1 else None
    at = (
        (one.page.path, one.start, one.start + len(one.text.rstrip())) if one else (page.path, start, start + len(name))
    )
    return Hit(
        file=at[0], start=at[1], end=at[2], subject=name, also=(place,) if one else (),
        message=f"{name} ({size}) is declared at {place}, and no prompt uses it",
        advice=f"Say in the prompt how much may be returned: {size}.", facts={"size": size},
    )  # fmt: skip


def _of_words(saying: Saying, model: Return | None) -> Hit:
    words, size = " ".join(saying.text.split())[:80], model.size if model else None
    return Hit(
        file=saying.page.path, start=saying.start, end=saying.end, subject=words[:60],
        message=f"agents are to give back all there is, at any length: {words}", also=(_place(model),) if model else (),
        advice=f"Say how much an agent may return, such as {size or 'at most 15 lines'}; details belong into a file.",
        facts={"size": size or ""},
    )  # fmt: skip


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
