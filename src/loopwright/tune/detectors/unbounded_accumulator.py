"""A list that only grows is put into a prompt as a whole."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.feeding import fed
from loopwright.tune.reading.prompts.filling import filled, grown
from loopwright.tune.reading.prompts.holes import Hole, growth, holes, reaches
from loopwright.tune.reading.state.growing import boards, piled, reread
from loopwright.tune.reading.words.sayings import Saying
from loopwright.tune.skill.model import Skill

_OWN = re.compile(r"(?:task_?|original_?|user_?)?(?:description|request|goal|brief|query|requirement)", re.IGNORECASE)
"""What the user says grows only by what the user says."""


def look(skill: Skill) -> Iterator[Hit]:
    growing = growth(skill)
    seen: set[int] = set()
    for hole in holes(skill):
        if _OWN.fullmatch(hole.last):
            continue
        places = [one for one in growing.get(hole.last, ()) if reaches(skill, hole, one)] if hole.whole else []
        if places:
            at, grows = hole.place.at, places[0].at
            seen.add(at.start)
            yield Hit(
                file=at.file, start=at.start, end=at.end, subject=hole.name, phase=at.phase,
                message=
                    f"the prompt takes in all of {hole.name}, which grows at {grows.file}:{grows.line} and is "
                    f"never cut"
                ,
                advice=
                    f"Give the agent the last few entries of {hole.name}, a summary of it, or the path of a file "
                    f"that holds it."
                ,
                also=tuple(f"{place.at.file}:{place.at.line}" for place in places),
                facts={"name": hole.name, "expression": hole.place.expression},
            )  # fmt: skip
    for hole, kind in filled(skill):
        if kind == "past" and hole.place.at.start not in seen:
            seen.add(hole.place.at.start)
            yield _of_name(hole)
    for saying, kind in fed(skill):
        if kind == "past":
            yield _of_words(saying)
    for at, name in grown(skill):
        yield Hit(
            file=at.file, start=at.start, end=at.end, subject=name, phase=at.phase,
            message=f"the prompt takes in ${name}, to which each round adds",
            advice="Pass the last few rounds, or the path of a file that holds them.",
        )  # fmt: skip
    for prompt, found, place in piled(skill):
        start = prompt.at.start + found.start()
        if start not in seen and skill.pages[prompt.at.file].text.startswith(found[0], start):
            yield Hit(
                file=prompt.at.file, start=start, end=start + len(found[0]), subject=found[0][:60], also=(place,),
                message=f"the prompt takes in all of {found[0]}, to which something is added at {place}",
                advice="Pass the last few entries, or the path of a file that holds them.", confidence="likely",
            )  # fmt: skip
    for one, board in boards(skill):
        yield Hit(
            file=one.at.file, start=one.at.start, end=one.at.end, subject=one.name, phase=one.at.phase,
            message=f"{one.name} holds all entries of {board}, to which agents add, and goes on to the next ones",
            advice="Take the last few, or the most relevant few, such as .slice(0, 10).", confidence="likely",
            facts={"file": board},
        )  # fmt: skip
    for saying, folder, place in reread(skill):
        yield _of_folder(saying, folder, place)


def _of_folder(saying: Saying, folder: str, place: str) -> Hit:
    more = f"each run adds one ({place})" if place else "they become more with each run"
    return Hit(
        file=saying.page.path, start=saying.start, end=saying.end, subject=folder, confidence="likely",
        message=f"all files are read ({folder}), and {more}", also=(place,) if place else (),
        advice=f"Read the last few ({folder}), or one summary that is kept up to date.",
    )  # fmt: skip


def _of_name(hole: Hole) -> Hit:
    at, expression = hole.place.at, hole.place.expression
    return Hit(
        file=at.file, start=at.start, end=at.end, subject=expression[:60], phase=at.phase, confidence="likely",
        message=f"the prompt takes in everything from before ({expression[:60]}), without a limit",
        advice="Pass the last few, a summary of at most so many words, or the path of a file that holds them.",
    )  # fmt: skip


def _of_words(saying: Saying) -> Hit:
    return Hit(
        file=saying.page.path, start=saying.start, end=saying.end, subject=" ".join(saying.text.split())[:60],
        message="everything that was said before is put into each new prompt, without a limit",
        advice="Pass the last few, a summary of at most so many words, or the path of a file that holds them.",
        confidence="likely",
    )  # fmt: skip


DETECTOR = Detector(
    rule="unbounded-accumulator",
    dimension="context",
    severity="high",
    confidence="certain",
    strategy="sliding_window",
    title="A growing list goes into a prompt as a whole",
    why="Each round makes the prompt longer, until what matters is drowned or cut off, and every call costs more.",
    advice="Pass a bounded part of it: the last few entries, a summary, or the path of a file.",
    look=look,
)
