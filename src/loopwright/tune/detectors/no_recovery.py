"""A long course that leaves files behind after each step, and no word on how to go on after an interruption."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.state.recovery import mentions, skips_done
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.names import DIR

LONG = 4
"""Steps in files of their own that make a course long."""
SHORT = 3
"""… where agents work in it."""
FILES = 3
"""Files of the run that are worth going on from."""
_PIECE = re.compile(r"\[\][\w.]*\.(?:status|state|stage|progress)$", re.IGNORECASE)
"""A field that says how far one piece of the work is: `tasks[].status`."""


def look(skill: Skill) -> Iterator[Hit]:
    steps = _steps(skill)
    agents = sum(prompt.call >= 0 for prompt in skill.prompts)
    if steps < (SHORT if agents >= 2 else LONG) or skill.main not in skill.pages:
        return
    kept = _kept(skill)
    if len(kept) < FILES or mentions(skill) or skips_done(skill):
        return
    page = skill.pages[skill.main]
    section = next((s for s in page.sections if s.concept == "steps"), page.sections[0] if page.sections else None)
    start = section.start if section else 0
    state = _state(skill, kept)
    yield Hit(
        file=skill.main, start=start, end=max(start, page.text.find("\n", start)), subject="recovery",
        message=f"{steps} steps leave {len(kept)} files behind ({', '.join(sorted(kept)[:3])} …), and nothing "
            f"says how an interrupted run goes on",
        advice=f"Add a section to {skill.main}: how an unfinished run is found, that {state or 'its files'} is "
            f"read first, and which step comes next.",
        facts={"state": state, "steps": str(steps)},
    )  # fmt: skip


def _in_files(skill: Skill) -> set[str]:
    steps = {phase.file for phase in skill.phases} | {
        p.path for p in skill.pages.values() if p.kind in ("phase", "action")
    }
    return steps - {skill.main}


def _steps(skill: Skill) -> int:
    """Files; and the sections of SKILL.md where it keeps a file that says how far each piece of work is."""
    return len(_in_files(skill)) or (_board(skill) and sum(phase.section >= 0 for phase in skill.phases))


def _board(skill: Skill) -> bool:
    """The run keeps a list of its pieces of work, each with how far it is."""
    kept = any(name.endswith(".json") for name in _kept(skill))
    return kept and any(_PIECE.search(field.path) for schema in skill.schemas for field in schema.fields)


def _kept(skill: Skill) -> set[str]:
    """Files of the run's own folder that steps write."""
    return {
        artefact.name.removeprefix(DIR + "/")
        for artefact in skill.artefacts
        if artefact.mode == "write"
        and artefact.name.startswith(DIR + "/")
        and artefact.at.use in ("instruction", "prompt")
        and not artefact.name.startswith(f"{DIR}/<n>/")
    }


def _state(skill: Skill, kept: set[str]) -> str:
    """The file that most pages name among those that may say how far the run is."""
    names = [
        artefact.name.removeprefix(DIR + "/")
        for artefact in skill.artefacts
        if artefact.name.endswith(".json") and artefact.name.removeprefix(DIR + "/") in kept
    ]
    return max(sorted(set(names)), key=names.count, default="")


DETECTOR = Detector(
    rule="no-recovery", dimension="memory", severity="medium", confidence="likely", strategy="checkpoint_restore",
    title="no way to go on after an interruption",
    why="When a session ends in the middle, the next one knows nothing: it starts from scratch, or guesses from "
        "the files it finds.",
    advice="Say how an unfinished run is found, what is read first, and which step comes next.", look=look,
)  # fmt: skip
