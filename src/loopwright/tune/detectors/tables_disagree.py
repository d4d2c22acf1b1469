"""A table leaves out what the files have, or says otherwise than another table or its own title."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.fields.settings import Disputed, disputed
from loopwright.tune.reading.files.dead_rows import DeadRow, dead_rows
from loopwright.tune.reading.files.members import Gap, gaps
from loopwright.tune.reading.files.outputs import Unknown, unknown_outputs
from loopwright.tune.reading.files.owners import Mismatch, mismatches
from loopwright.tune.reading.lists.agreeing import Double, Ragged, Sum, doubles, ragged, sums
from loopwright.tune.reading.lists.counted import Miscount, miscounts
from loopwright.tune.reading.lists.counts import miscounted, missing_number
from loopwright.tune.reading.lists.grid import Grid, grids
from loopwright.tune.reading.lists.row_counts import RowCount, row_counts
from loopwright.tune.reading.lists.swapped import Swapped, swapped
from loopwright.tune.skill.model import Page, Skill

_OTHER = ("reference", "template", "script", "data")


def look(skill: Skill) -> Iterator[Hit]:
    found = [grid for page in skill.pages.values() if page.kind not in _OTHER for grid in grids(page)]
    for grid in found:
        yield from (_unknown(one) for one in unknown_outputs(skill, grid))
        left = [*gaps(skill, grid)]
        if left:
            yield from (_gap(one) for one in left)
        else:
            yield from _numbers(grid)
        yield from (_dead(one) for one in dead_rows(skill, grid))
        yield from (_swapped(one) for one in swapped(grid))
    for one in mismatches(found):
        yield _mismatch(one)
    yield from (_row_count(one) for one in row_counts(skill, found))
    yield from _of_numbers(skill, found)


def _of_numbers(skill: Skill, found: list[Grid]) -> Iterator[Hit]:
    twice = [*doubles(found)]
    yield from map(_double, twice)
    told = {id(one.grid) for one in twice}
    yield from (_sum(one) for grid in found if id(grid) not in told for one in sums(grid))
    yield from map(_disputed, disputed(skill))
    yield from map(_ragged, ragged(skill))
    yield from map(_miscount, miscounts(skill))


def _miscount(one: Miscount) -> Hit:
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"{one.words} in a list",
        message=f"“{one.words}” are announced, and the list below has {one.items} entries",
        advice="Add what is missing, take out what is too much, or correct the number.",
    )  # fmt: skip


def _dead(one: DeadRow) -> Hit:
    row = one.grid.blocks[one.index]
    return Hit(
        file=one.grid.page.path, start=row.start, end=row.end, subject=f"row {one.name}",
        message=f"The table lists {one.name}, and {one.folder}/ has no such file; it has the other {len(one.others)}",
        advice=f"Take out the row, or add {one.name} to {one.folder}/.", facts={"dead": str(row.start)},
    )  # fmt: skip


def _swapped(one: Swapped) -> Hit:
    cells = [one.grid.rows[index][one.column] for index in (one.one, one.other)]
    return Hit(
        file=one.grid.page.path, start=cells[0].start, end=cells[0].end, severity="high",
        subject=f"swapped {cells[0].text[:60]}",
        message=f"“{cells[0].text[:60]}” and “{cells[1].text[:60]}” stand each in the row of the other's page",
        advice="Change the two cells back.", also=(_place(one.grid.page, cells[1].start),),
        facts={"swap": "\n".join(f"{cell.start}:{cell.end}" for cell in cells)},
    )  # fmt: skip


def _row_count(one: RowCount) -> Hit:
    there = _place(one.other.page, one.at)
    return Hit(
        file=one.grid.page.path, start=one.start, end=one.end, subject=f"{one.row} {one.noun}",
        message=f"{one.row} has {one.wrong} {one.noun} here, and {one.right} in the table of {there}",
        advice=f"Write {one.right}, or change the other table.", also=(there,),
        facts={"wrong": one.wrong, "right": one.right},
    )  # fmt: skip


def _double(one: Double) -> Hit:
    there = _place(one.other.page, one.other.start)
    wrong = one.grid.page.text[one.cell.start : one.cell.end]
    return Hit(
        file=one.grid.page.path, start=one.cell.start, end=one.cell.end, subject=f"{one.row} {one.grid.head[0]}",
        message=f"{one.row} is {wrong} here and {one.right} in the table of {there}; the other rows agree",
        advice=f"Write {one.right}, or change the other table.", also=(there,),
        facts={"wrong": wrong.strip("*` "), "right": one.right},
    )  # fmt: skip


def _sum(one: Sum) -> Hit:
    return Hit(
        file=one.grid.page.path, start=one.grid.start, end=one.grid.end, subject=f"sum {one.head}",
        message=f"The column {one.head} adds up to {one.total:g} %, not to 100 %",
        advice="Correct the share that is wrong, or add the row that is missing.",
    )  # fmt: skip


def _disputed(one: Disputed) -> Hit:
    there = _place(one.right.page, one.right.start)
    return Hit(
        file=one.wrong.page.path, start=one.wrong.start, end=one.wrong.end, subject=f"{one.wrong.name} default",
        message=f"{one.wrong.name} is {one.wrong.value} here, and {one.right.value} in {there}",
        advice=f"Write {one.right.value}, or change it there.", also=(there,),
        facts={"wrong": one.wrong.value, "right": one.right.value},
    )  # fmt: skip


def _ragged(one: Ragged) -> Hit:
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"row {one.page.text[one.start : one.end][:60]}",
        message=f"This row has {one.cells} cells, and the head of its table has {one.heads}",
        advice="Give the row the cell that is missing, or take out the one too much.",
    )  # fmt: skip


def _place(page: Page, at: int) -> str:
    line = page.text.count("\n", 0, at) + 1
    return f"{page.path}:{line}"


def _gap(one: Gap) -> Hit:
    grid = one.grid
    row = grid.blocks[max(one.after, 0)]
    return Hit(
        file=grid.page.path, start=row.start, end=row.end, subject=f"{one.member.path} {grid.head[0]}", severity="high",
        message=f"The table has no row for {one.member.path}; it lists the other {len(one.listed)} of its folder",
        advice=f"Add a row for {one.member.path}, or say why it has none.",
        facts={"member": one.member.path, "table": str(grid.start), "after": str(one.after)},
    )  # fmt: skip


def _unknown(one: Unknown) -> Hit:
    return Hit(
        file=one.grid.page.path, start=one.start, end=one.end, subject=f"{one.file} {one.step}", severity="high",
        message=f"The table says that {one.step} leaves {one.file}; neither that page nor any other knows the file",
        advice=f"Name the file that {one.step} writes.", also=(f"{one.step}:1",),
        facts={"step": one.step},
    )  # fmt: skip


def _numbers(grid: Grid) -> Iterator[Hit]:
    gap, count = missing_number(grid), miscounted(grid)
    if gap is not None:
        row = grid.blocks[gap[1]]
        yield Hit(
            file=grid.page.path, start=row.start, end=row.end, subject=f"{gap[0]} {grid.head[0]}",
            message=f"The rows are numbered, and there is no row {gap[0]}",
            advice="Put the row back, or number the rows anew.",
        )  # fmt: skip
    elif count is not None:
        yield Hit(
            file=grid.page.path, start=count.start, end=count.end, subject=f"{count.words} {grid.head[0]}",
            message=f"“{count.words}” are announced, and the table has {count.rows} rows",
            advice="Add what is missing, or correct the number.",
        )  # fmt: skip


def _mismatch(one: Mismatch) -> Hit:
    where = one.other.page.path
    line = one.other.page.text.count("\n", 0, one.other.start) + 1
    return Hit(
        file=one.grid.page.path, start=one.start, end=one.end, subject=f"{one.file} {one.wrong}", severity="high",
        message=f"Here {one.wrong} is to end with {one.file}; by the table in {where}:{line} {one.right} makes it",
        advice=f"Write {one.right}, or change the other table.", also=(f"{where}:{line}",),
        facts={"wrong": one.wrong, "right": one.right},
    )  # fmt: skip


DETECTOR = Detector(
    rule="tables-disagree", dimension="dataflow", severity="medium", confidence="likely",
    strategy="state_centralization", title="a table that says otherwise",
    why="A model that goes by the table leaves the step out, or gives it to somebody else.",
    advice="Let the table say what the rest of the skill says.", look=look,
)  # fmt: skip
