"""What only a tuning session can be asked."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query

from loopwright.core import progress_files
from loopwright.core.errors import NotFound
from loopwright.core.text import drop_surrogates
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, make_response
from loopwright.surfaces.server.dependencies import (
    OneTuning,
)
from loopwright.surfaces.server.documentation import Data
from loopwright.surfaces.server.kinds import TUNINGS
from loopwright.surfaces.server.requests import Routes
from loopwright.surfaces.server.responses import (
    DiffForm,
    FixForm,
    GraphForm,
    NoteForm,
    SkillFileForm,
    SourceForm,
    TextForm,
)
from loopwright.surfaces.server.shared_routes import (
    TAG,
    Newest,
    cut_diff,
    document_form,
    parse_note,
)

router = Routes(prefix=TUNINGS.one, tags=[TAG])

Id = Annotated[str, Path(description="As in the session")]

LONGEST = 1 << 20
"""Characters."""

OfSkill = Annotated[str, Query(max_length=1000, description="Relative to the skill's folder")]


@router.get("/fixes/{fix_id}", summary="One of its fixes", **document_form(Data[FixForm], examples.FIX))
async def fix(one: OneTuning, fix_id: Id) -> ApiResponse:
    """What it changes and why, its unified diff, and its outcome."""
    from loopwright.workflows.tuning.publish import diff_of  # slow to load, and few ask: here and below

    service = one.project.engine.tunings
    found, state = await one.control.run_in_thread(lambda: (service.fix(one.id, fix_id), service.read(one.id)))
    entries = [entry for entry in state.applied_fixes if entry.fix_id == fix_id]
    return make_response(
        {"fix": found, "applied": entries[-1] if entries else None, "diff": drop_surrogates(diff_of(found))}
    )


@router.get("/diff", summary="Its changes", **document_form(Data[DiffForm], examples.DIFF))
async def diff(one: OneTuning) -> ApiResponse:
    """Of all fixes in the skill's files, unified."""
    return cut_diff(await one.control.run_in_thread(lambda: one.service.whole_diff(one.id)))


@router.get("/report", summary="Its report", **document_form(Data[TextForm], examples.REPORT))
async def report(one: OneTuning) -> ApiResponse:
    """In Markdown, as in the session's folder; not before the first diagnosis is complete."""
    return make_response(_cut(await one.control.run_in_thread(lambda: one.project.engine.tunings.report(one.id))))


@router.get("/skill", summary="The skill's files", **document_form(Data[list[SkillFileForm]], examples.TUNING_FILES))
async def files(one: OneTuning) -> ApiResponse:
    """The current files, with what each costs a model that reads it."""
    from loopwright.skills.diagnosis import load_skill

    found = await one.control.run_in_thread(lambda: one.project.engine.tunings.source(one.id))
    skill = await one.control.run_in_thread(lambda: load_skill(found))
    pages = skill.pages
    return make_response(
        [
            {
                "file": drop_surrogates(file),
                "size": size,
                "kind": pages[file].kind if file in pages else None,
                "tokens": pages[file].tokens if file in pages else None,
            }
            for file, size in skill.files.items()
        ]
    )


@router.get("/graph", summary="The skill as a graph", **document_form(Data[GraphForm], examples.GRAPH))
async def graph(one: OneTuning) -> ApiResponse:
    """The current graph: what leads to what, and what a model has read by the end of each phase."""
    from loopwright.skills.diagnosis import load_skill
    from loopwright.skills.reader.skill_graph import draw_graph

    service = one.project.engine.tunings
    drawing = await one.control.run_in_thread(lambda: draw_graph(load_skill(service.source(one.id))))
    return make_response(_told(asdict(drawing)))


@router.get("/source", summary="One of the skill's files", **document_form(Data[SourceForm], examples.SOURCE))
async def source(one: OneTuning, file: OfSkill) -> ApiResponse:
    """Its current first MiB; invalid UTF-8 is replaced. Only files of the skill are shown."""
    found = await one.control.run_in_thread(lambda: one.project.engine.tunings.source(one.id))
    data = found.files.get(file)
    if data is None:
        raise NotFound(f"the skill has no text file {drop_surrogates(file[:200])}")
    return make_response({"file": drop_surrogates(file), **_cut(data.decode(errors="replace"))})


@router.get("/transcript", summary="Its transcript", **document_form(Data[list[NoteForm]], examples.LOOP_TRANSCRIPT))
async def transcript(one: OneTuning, limit: Newest = 500) -> ApiResponse:
    """The last lines, from the last MiB."""
    one.service.read(one.id)
    folder, file = one.service.store.progress_path(one.id), TUNINGS.transcripts[0].file
    found = await one.control.run_in_thread(lambda: progress_files.read_last_lines(folder, file, limit))
    lines = [line for text in found.lines if (line := parse_note(text))]
    return make_response(lines[-limit:], position=str(found.position))


def _told(value: object) -> object:
    """With names of files that JSON can hold."""
    if isinstance(value, str):
        return drop_surrogates(value)
    if isinstance(value, dict):
        return {name: _told(one) for name, one in value.items()}
    return [_told(one) for one in value] if isinstance(value, (list, tuple)) else value


def _cut(text: str) -> dict[str, object]:
    return {"text": text[:LONGEST], "truncated": len(text) > LONGEST}
