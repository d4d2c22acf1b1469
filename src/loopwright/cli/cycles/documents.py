"""`cycle documents` and `cycle diff`: what the roles have written, and what the project has become."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.kinds import CycleId
from loopwright.cli.looking import show_diff
from loopwright.cli.options import HERE, Json, Project, opened
from loopwright.cli.output import answer, remark
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwright.engine.cycle_files import Document


def documents(
    cycle_id: CycleId,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", show_default=False, help="Print this one: ra/requirements.md, …")
    ] = None,
    version: Annotated[
        str | None, typer.Option("--version", metavar="V", help="As it was in this version: 1.0.0, …")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List what the roles have written, or print one document."""
    from dataclasses import asdict

    from loopwright.cli.text import clean_lines

    if version is not None and name is None:
        raise Invalid("--version is for one document; name it, as in: documents ID ra/requirements.md --version 1.0.0")
    with opened(project) as engine:
        if name is None:
            found = engine.cycles.documents(cycle_id)
            answer(json, [asdict(document) for document in found], _listed(found), total=len(found))
            return
        document = engine.cycles.document(cycle_id, name, version)
    if document.truncated and not json:
        remark(f"only the beginning of {name} is shown")
    answer(json, document._asdict(), clean_lines(document.text).rstrip("\n"))


def _listed(found: "Sequence[Document]") -> str:
    """Name, size, and the versions that are kept."""
    from loopwright.cli.text import columns, local

    rows = [(d.name, f"{d.size:,}", local(d.modified_at), ", ".join(d.versions) or "-") for d in found]
    return "\n".join(columns([("DOCUMENT", "BYTES", "CHANGED", "VERSIONS"), *rows])) if rows else "nothing written yet"


def diff(
    cycle_id: CycleId,
    iteration: Annotated[
        int | None, typer.Option("--iteration", metavar="N", help="Only what this one has changed.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a cycle has changed in the project."""
    with opened(project) as engine:
        text = engine.cycles.diff(cycle_id, iteration)
    show_diff(text, json)
