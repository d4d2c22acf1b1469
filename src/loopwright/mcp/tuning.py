"""What the tools do that is about skills: look at one, start a session, show and choose its fixes. Blocking."""

from pathlib import Path

from loopwright.domain.findings import DIMENSIONS
from loopwright.domain.tuning_engine import Level
from loopwright.mcp.asked import Choose, Diagnose, ReadFindings, ReadFixes, RollBack, StartTuning
from loopwright.mcp.desk import Desk
from loopwright.mcp.tuning_hints import tuning_hint
from loopwright.mcp.tuning_told import (
    Findings,
    Fixes,
    TuningReport,
    findings_told,
    fixes_told,
    next_of_a_look,
    tuning_report,
)
from loopwright.tune.report.checked import of_session

LEVELS: dict[str, Level] = {"none": "none", "mechanical": "mechanical", "all": "template"}


def diagnose(desk: Desk, asked: Diagnose) -> Findings:
    """Looks at a skill; nothing is made, nothing is changed."""
    place = desk.place(asked.project)
    found = place.engine.check_skill(Path(asked.path), asked.dimensions or DIMENSIONS)
    return findings_told(
        found, place.name, dimensions=DIMENSIONS, limit=asked.limit, offset=asked.offset,
        following=next_of_a_look(found),
    )  # fmt: skip


def start_tuning(desk: Desk, asked: StartTuning) -> TuningReport:
    """As `loopwright tune` does, in the background; nothing is created that could not be started."""
    place = desk.place(asked.project)
    place.engine.load_tuning_prompts()
    state = place.engine.create_tuning(
        Path(asked.path), description=asked.description or "", dimensions=asked.dimensions or DIMENSIONS,
        level=LEVELS[asked.fix], agent=asked.agent, refuter=asked.refuter, choosing=asked.choose, **asked.limit,
    )  # fmt: skip
    if asked.start:
        state = place.tunings.start(state.tuning_id)
    return tuning_report(state, place.name, live=asked.start)


def findings(desk: Desk, asked: ReadFindings) -> Findings:
    """What the session's last diagnosis has found."""
    found, tunings = desk.tuning(asked, looking=True)
    state, live = found.look()
    checked = of_session(tunings.read(found.id))
    return findings_told(
        checked, found.project, dimensions=(asked.dimension,) if asked.dimension else DIMENSIONS, limit=asked.limit,
        offset=asked.offset, following=tuning_hint(state, live=live), tuning_id=found.id,
    )  # fmt: skip


def fixes(desk: Desk, asked: ReadFixes) -> Fixes:
    found, tunings = desk.tuning(asked, looking=True)
    fix = tunings.fix(found.id, asked.fix) if asked.fix else None
    return fixes_told(tunings.read(found.id), found.project, fix, asked.max_chars)


def choose(desk: Desk, asked: Choose) -> TuningReport:
    """The session goes on with them."""
    found, tunings = desk.tuning(asked)
    tunings.choose(found.id, asked.fixes)
    told: TuningReport = found.told()
    return told


def roll_back(desk: Desk, asked: RollBack) -> TuningReport:
    found, tunings = desk.tuning(asked)
    tunings.roll_back(found.id, asked.fix)
    told: TuningReport = found.told()
    return told
