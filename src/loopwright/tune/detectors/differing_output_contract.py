"""Agents of one kind are told to answer in different words."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.returns import Return, returns
from loopwright.tune.skill.model import Skill

_WELL = frozenset({"DONE", "OK", "SUCCESS", "SUCCEEDED", "COMPLETE", "COMPLETED", "FINISHED", "READY"})
_BADLY = frozenset({"BLOCKED", "FAIL", "FAILED", "FAILURE", "ERROR", "STUCK"})
"""Words that mean the same; one that judges somebody's work (ACCEPT, REWORK) is another matter."""
_STATUS = re.compile(rf"(?<![\w$<{{])(?:{'|'.join(sorted(_WELL | _BADLY, key=len, reverse=True))})(?![\w$}}])")
_SHARE = 0.6
FEWEST = 3


def look(skill: Skill) -> Iterator[Hit]:
    said = [(one, frozenset(_STATUS.findall(one.text))) for one in returns(skill)]
    said = [(one, words) for one, words in said if words]
    if len(said) < FEWEST:
        return
    count = Counter(word for _, words in said for word in words)
    usual = [word for word, times in count.items() if times >= _SHARE * len(said) and times >= 2 and times < len(said)]
    for word in sorted(usual):
        for one, words in said:
            if word in words:
                continue
            own = sorted(other for other in words & (_WELL if word in _WELL else _BADLY) if count[other] == 1)
            if own:
                model = next(other for other, mine in said if word in mine)
                yield _hit(one, own, word, model, count[word], len(said))


def _hit(one: Return, own: list[str], word: str, model: Return, times: int, all_of_them: int) -> Hit:
    place = f"{model.page.path}:{model.page.text.count(chr(10), 0, model.start) + 1}"
    near = next((mine for mine in own), "")
    at = one.page.text.find(near, one.start, one.end)
    return Hit(
        file=one.page.path, start=at, end=at + len(near), subject=f"{near} for {word}", also=(place,),
        message=f"this agent answers {', '.join(own)} where {times} of {all_of_them} answer {word} ({place})",
        advice=f"Let it say {word}, too, or let the step that reads the answers know both.",
        facts={"old": near, "new": word},
    )  # fmt: skip


DETECTOR = Detector(
    rule="differing-output-contract", dimension="agent", severity="medium", confidence="likely",
    strategy="schema_enforcement",
    title="Agents answer in different words",
    why="The step that reads the answers looks for one word and takes the other for a failure, or for success.",
    advice="Let all agents of a kind answer in the same words.", look=look,
)  # fmt: skip
