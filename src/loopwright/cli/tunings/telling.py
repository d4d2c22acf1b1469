"""The result of the command in the form that was asked for."""

from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.cli.layout import Look, coloured, plain
from loopwright.cli.options import quoted
from loopwright.cli.output import cells, is_plain, remark, write
from loopwright.cli.tunings.carrying_out import Result
from loopwright.cli.tunings.findings import overview, skill_page
from loopwright.cli.tunings.mending import mended_page
from loopwright.cli.tunings.order import Order
from loopwright.domain.json_line import json_line
from loopwright.domain.words import plural
from loopwright.tune.report.document import document
from loopwright.tune.report.sarif import sarif

if TYPE_CHECKING:
    from loopwright.domain.tuning import TuningState

FILE_CELLS = 120
"""Of a line in a file."""


def tell(result: Result, order: Order, *, single: bool) -> None:
    """On stdout, or in the file that was named."""
    if order.output is None:
        print(_rendered(result, order, single, look=Look(cells(), plain if is_plain() else coloured)), flush=True)
        return
    text = _rendered(result, order, single, look=Look(FILE_CELLS, plain))
    order.output.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")
    passed = sum(skill.gate == "pass" for _, skill in result.skills)
    remark(f"written to {order.output}: {passed:,} of {plural(len(result.skills), 'skill')} passed")


def tell_rollback(state: "TuningState", fix: str, order: Order) -> None:
    id, score = state.tuning_id, state.quality_score
    if order.form != "text":
        write(
            {"success": True, "tuning_id": id, "fix": fix, "quality_score": score, "quality_gate": state.quality_gate}
        )
        return
    print(f"{fix} is rolled back: its files are byte for byte what they were (score {score:g})")


def _rendered(result: Result, order: Order, single: bool, look: Look) -> str:
    skills = [skill for _, skill in result.skills]
    sessions = {skill.path: state for root, skill in result.skills if (state := result.sessions.get(root))}
    if order.form == "sarif":
        return sarif(skills).decode(errors="surrogateescape").rstrip("\n")
    if order.form == "json":
        told = document(skills, sessions)
        end = {"type": "rest", "success": result.exit == 0, "exit_code": int(result.exit)} if order.events else {}
        return json_line({**end, **told})
    if not skills:
        return "no skill among these files"
    pages = [_page(result, number, order, look, single=single) for number in range(len(skills))]
    pages = [page for page in pages if page]
    return "\n\n".join(pages if single else [*pages, overview(skills, look)])


def _page(result: Result, number: int, order: Order, look: Look, *, single: bool) -> str:
    """One skill; of many only those with findings, or with something mended, have a page."""
    root, skill = result.skills[number]
    state = result.sessions.get(root)
    if not single and not skill.counted and state is None:
        return ""
    place = quoted(_typed(root, order))
    page = skill_page(skill, look, place)
    if state is None:
        return page
    if state.engine.reason:
        page += f"\n\n{look.paint('critical', 'The session failed:')} {state.engine.reason}"
    return f"{page}\n" + mended_page(state, place, look, diffs=not order.asks)


def _typed(root: Path, order: Order) -> str:
    return root.relative_to(order.base).as_posix() if root.is_relative_to(order.base) else str(root)
