"""The result of the command in the form that was asked for. Pure."""

from collections.abc import Sequence

from loopwright.cli.tunings.findings import overview, skill_page
from loopwright.cli.tunings.layout import Look, coloured, plain
from loopwright.domain.json_line import json_line
from loopwright.tune.report.checked import Checked
from loopwright.tune.report.document import document
from loopwright.tune.report.sarif import sarif


def rendered(skills: Sequence[Checked], form: str, *, single: bool, cells: int, colours: bool) -> str:
    """`text`: pages of skills that have findings, and a line for each where there are several; `json`; `sarif`."""
    if form == "json":
        return json_line(document(skills))
    if form == "sarif":
        return sarif(skills).decode(errors="surrogateescape").rstrip("\n")
    look = Look(cells, coloured if colours else plain)
    if single:
        return skill_page(skills[0], look)
    pages = [skill_page(skill, look) for skill in skills if skill.counted]
    return "\n\n".join([*pages, overview(skills, look)])
