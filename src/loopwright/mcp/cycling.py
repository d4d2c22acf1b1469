"""What the tools do that only cycles have: start one, settle what it asks for, read what its roles wrote. Blocking."""

from loopwright.mcp.asked import Decide, ReadDocuments, Resolve, StartCycle
from loopwright.mcp.cycle_told import CycleReport, Document, Documents, cycle_report
from loopwright.mcp.desk import Desk


def start_cycle(desk: Desk, asked: StartCycle) -> CycleReport:
    """As `loopwright cycle create` and `start` do; nothing is created that could not be started."""
    place = desk.place(asked.project)
    place.engine.load_cycle_prompts()
    state = place.engine.create_cycle(asked.task, title=asked.title, interactive=not asked.auto, given=asked.settings)
    if asked.start:
        state = place.cycles.start(state.cycle_id)
    return cycle_report(state, place.name, live=asked.start)


def decide(desk: Desk, asked: Decide) -> CycleReport:
    """A cycle that is paused goes on once nothing is left to decide."""
    found, cycles = desk.cycle(asked)
    state = cycles.decide(found.id, asked.decision, asked.option)
    if asked.resume and state.status == "paused" and not state.coordination.undecided:
        cycles.resume(found.id)
    told: CycleReport = found.told()
    return told


def resolve(desk: Desk, asked: Resolve) -> CycleReport:
    found, cycles = desk.cycle(asked)
    cycles.resolve(found.id, asked.blocker, asked.resolution, workaround=asked.workaround)
    told: CycleReport = found.told()
    return told


def documents(desk: Desk, asked: ReadDocuments) -> Documents:
    """The list of them; or the one that is named, in the version that is named."""
    found, cycles = desk.cycle(asked, looking=True)
    if asked.name is None:
        known = tuple(
            Document(name=one.name, version=one.version, versions=one.versions) for one in cycles.documents(found.id)
        )
        return Documents(
            cycle_id=found.id, project=found.project, documents=known, name=None, version=None, text=None,
            truncated=False,
        )  # fmt: skip
    shown = cycles.document(found.id, asked.name, asked.version)
    return Documents(
        cycle_id=found.id, project=found.project, documents=(), name=shown.name, version=shown.version,
        text=shown.text[: asked.max_chars], truncated=shown.truncated or len(shown.text) > asked.max_chars,
    )  # fmt: skip
