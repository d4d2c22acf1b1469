"""Looking closer at one tuning session: its fixes, its report, and the skill's own files beside them."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query

from loopwright.domain.errors import NotFound
from loopwright.domain.words import whole
from loopwright.engine import progress_files
from loopwright.server import examples as common
from loopwright.server import tuning_examples as examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import OneTuning
from loopwright.server.closer import TAG, Newest, cut, looking, note, told
from loopwright.server.documenting import Done
from loopwright.server.forms import DiffForm, FixForm, GraphForm, NoteForm, SkillFileForm, SourceForm, TextForm
from loopwright.server.kinds import TUNINGS
from loopwright.server.requests import Routes
from loopwright.server.rooms import TUNING_ROOM
from loopwright.tune.diagnosis import load
from loopwright.tune.publish import diff_of
from loopwright.tune.skill.drawing import draw

router = Routes(prefix=TUNINGS.one, tags=[TAG])
LONGEST = 1 << 20
"""Characters."""

Id = Annotated[str, Path(description="As the session has it")]
OfSkill = Annotated[str, Query(max_length=1000, description="Relative to the skill's folder")]


@router.get("/fixes/{fix_id}", summary="One of its fixes", **told(Done[FixForm], examples.FIX))
async def fix(one: OneTuning, fix_id: Id) -> Answer:
    """What it changes and why, its unified diff, and what became of it."""
    service = one.project.engine.tunings
    found, state = await one.control.beside(lambda: (service.fix(one.id, fix_id), service.read(one.id)))
    entries = [entry for entry in state.applied_fixes if entry.fix_id == fix_id]
    return done({"fix": found, "applied": entries[-1] if entries else None, "diff": whole(diff_of(found))})


@router.get("/diff", summary="Its changes", **told(Done[DiffForm], common.DIFF))
async def diff(one: OneTuning) -> Answer:
    """Of all fixes that are in the skill's files, unified."""
    return cut(await one.control.beside(lambda: one.service.whole_diff(one.id)))


@router.get("/report", summary="Its report", **told(Done[TextForm], examples.REPORT))
async def report(one: OneTuning) -> Answer:
    """In Markdown, as it lies in the session's folder; not before the first diagnosis is complete."""
    return done(_cut(await one.control.beside(lambda: one.project.engine.tunings.report(one.id))))


@router.get("/skill", summary="The skill's files", **told(Done[list[SkillFileForm]], examples.FILES))
async def files(one: OneTuning) -> Answer:
    """As they are now, with what each costs a model that reads it."""
    found = await one.control.beside(lambda: one.project.engine.tunings.source(one.id))
    skill = await one.control.beside(lambda: load(found))
    pages = skill.pages
    return done(
        [
            {
                "file": whole(file), "size": size, "kind": pages[file].kind if file in pages else None,
                "tokens": pages[file].tokens if file in pages else None,
            }
            for file, size in skill.files.items()
        ]
    )  # fmt: skip


@router.get("/graph", summary="The skill as a graph", **told(Done[GraphForm], examples.GRAPH))
async def graph(one: OneTuning) -> Answer:
    """As it is now: what leads to what, and what a model has read at the end of each phase."""
    service = one.project.engine.tunings
    drawing = await one.control.beside(lambda: draw(load(service.source(one.id))))
    return done(_told(asdict(drawing)))


@router.get("/source", summary="One of the skill's files", **told(Done[SourceForm], examples.SOURCE))
async def source(one: OneTuning, file: OfSkill) -> Answer:
    """Its first MiB as it is now; what is no UTF-8 is replaced. Only files of the skill are shown."""
    found = await one.control.beside(lambda: one.project.engine.tunings.source(one.id))
    data = found.files.get(file)
    if data is None:
        raise NotFound(f"the skill has no text file {whole(file[:200])}")
    return done({"file": whole(file), **_cut(data.decode(errors="replace"))})


@router.get("/transcript", summary="What was said and done", **told(Done[list[NoteForm]], common.TRANSCRIPT))
async def transcript(one: OneTuning, limit: Newest = 500) -> Answer:
    """The last lines, of the last MiB."""
    one.service.read(one.id)
    folder, file = one.service.store.progress_path(one.id), TUNINGS.voices[0].file
    found = await one.control.beside(lambda: progress_files.last_lines(folder, file, limit))
    lines = [line for text in found.lines if (line := note(text))]
    return done(lines[-limit:], position=str(found.position))


def _told(value: object) -> object:
    """With names of files that JSON can hold."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {name: _told(one) for name, one in value.items()}
    return [_told(one) for one in value] if isinstance(value, (list, tuple)) else value


def _cut(text: str) -> dict[str, object]:
    return {"text": text[:LONGEST], "truncated": len(text) > LONGEST}


ROOMS = (looking(TUNING_ROOM), router)
