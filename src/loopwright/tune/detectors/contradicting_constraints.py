"""Two rules of which a model can only follow one."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.rules.contradictions import Conflict, conflicts
from loopwright.tune.skill.model import Skill

LENGTH = 90
"""Characters of a rule that a message quotes."""


def look(skill: Skill) -> Iterator[Hit]:
    for conflict in conflicts(skill):
        yield Hit(
            file=conflict.page.path, start=conflict.start, end=conflict.end, subject=conflict.subject,
            message=f"{conflict.what}: “{_short(conflict.text)}” here, “{_short(conflict.other)}” in "
                f"{_where(conflict)}",
            advice=f"Decide which holds and say the same at both places; {_where(conflict)} is the rule that more "
                f"rests on.",
            also=(_where(conflict),),
            facts={
                "kind": conflict.kind, "other_file": conflict.other_page.path,
                "other_start": str(conflict.other_start), **conflict.facts,
            },
        )  # fmt: skip


def _where(conflict: Conflict) -> str:
    line = conflict.other_page.text.count("\n", 0, conflict.other_start) + 1
    return f"{conflict.other_page.path}:{line}"


def _short(text: str) -> str:
    flat = " ".join(text.split()).strip(" -*|")
    return flat if len(flat) <= LENGTH else flat[: LENGTH - 1] + "…"


DETECTOR = Detector(
    rule="contradicting-constraints", dimension="memory", severity="medium", confidence="likely", strategy="custom",
    title="rules contradict each other",
    why="A model that reads both follows the one it has read last, so that the result depends on chance.",
    advice="Decide which holds and say the same at both places.", look=look,
)  # fmt: skip
