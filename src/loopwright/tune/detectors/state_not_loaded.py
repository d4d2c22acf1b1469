"""A phase uses what the run keeps in a file, and does not read that file as its siblings do."""

import re
from collections.abc import Iterator, Sequence

from loopwright.tune.detectors.demanded import demanded
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.labelled import lacking
from loopwright.tune.reading.prompts.placeholders import strays
from loopwright.tune.reading.prompts.unbound_holes import unbound
from loopwright.tune.reading.rules.families import KINDS
from loopwright.tune.reading.shell.variables import unset
from loopwright.tune.reading.state.code_state import never_set, unloaded
from loopwright.tune.reading.state.notes import unread
from loopwright.tune.reading.state.stores import Use, binds, goes_through, json_files, loads, used
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Skill

MOST = 0.7
"""The share of the pages that use a file's content and read it; then the rest have to."""


def look(skill: Skill) -> Iterator[Hit]:
    yield from _files(skill)
    yield from _unloaded(skill)
    yield from _untold(skill)
    yield from _never_set(skill)
    yield from demanded(skill, "state")
    yield from _unset(skill)
    yield from _unread(skill)
    for stray in strays(skill):
        yield Hit(
            file=stray.page.path, start=stray.start, end=stray.end, subject=f"{{{stray.name}}}", severity="medium",
            message=f"{{{stray.name}}} is used and nothing says what it is; the other {stray.bound} names have an "
                f"entry in the list",
            advice=f"Add `{stray.name}` with its value to the list of names, or say where it is loaded from.",
            facts={"name": stray.name, "after": str(stray.after)},
        )  # fmt: skip


def _unloaded(skill: Skill) -> Iterator[Hit]:
    """Code that changes what others read from a file first, and writes the whole back."""
    for use, change, model in unloaded(skill):
        page, at = change.page, use if use >= 0 else change.start
        where = f"{model.page.path}:{model.page.text.count(chr(10), 0, model.start) + 1}"
        block = page.blocks[block_at(page, at)]
        yield Hit(
            file=page.path, start=at, end=at + len(change.name), subject=f"{change.name} is not read",
            message=f"{change.name} is used and written back here, and nothing on this page reads it; {where} does",
            advice=f"Read it before it is used, as {where} does: {model.line.strip()[:120]}", also=(where,),
            facts={"entry_at": str(block.body), "entry": f"{model.line.strip()}\n\n"},
        )  # fmt: skip


def _never_set(skill: Skill) -> Iterator[Hit]:
    for page in skill.pages.values():
        for name, start, end in never_set(page):
            if not any(
                re.search(rf"(?<![\w.$]){name}\s*=(?![=>])", other.text)
                for other in skill.pages.values()
                if other is not page and name in other.text
            ):
                yield Hit(
                    file=page.path, start=start, end=end, subject=f"{name} is never set",
                    message=f"{name} begins as nothing, its fields are used below, and no step loads it",
                    advice=f"Load {name} before it is used, from the file or the command that has it.",
                )  # fmt: skip


def _untold(skill: Skill) -> Iterator[Hit]:
    """A prompt is filled with what its page does not load; a task is not told where the run keeps its state."""
    for one in unbound(skill):
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"{one.root} is not loaded",
            message=f"the prompt is filled with {', '.join(one.fields[:4])} of {one.root}, and nothing on this page "
                "loads it",
            advice=f"Load {one.root} before the agent is started, and say from which file.",
            also=(one.model,) if one.model else (),
            facts={"entry_at": str(one.after), "entry": f"\n{one.row}"} if one.row else {},
        )  # fmt: skip
    for lack in lacking(skill):
        if lack.what == "state":
            yield Hit(
                file=lack.page.path, start=lack.start, end=lack.end, subject=f"{lack.label} of the task",
                severity="medium",
                message=f"this task has no “{lack.label}”; the other {lack.having} have it ({lack.model})",
                advice=f"Add the line as {lack.model} has it: {lack.line.strip()[:100]}", also=(lack.model,),
                facts={"entry_at": str(lack.after), "entry": f"\n{lack.line}"} if lack.after >= 0 else {},
            )  # fmt: skip


def _unset(skill: Skill) -> Iterator[Hit]:
    for one in unset(skill):
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"${one.name}", severity="medium",
            message=f"${one.name} is used {one.count} times, and nothing sets it or says where it comes from",
            advice=f"Set {one.name} before its first use, from the user's answer or from the file that holds it.",
            facts={"name": one.name},
        )  # fmt: skip


def _unread(skill: Skill) -> Iterator[Hit]:
    for one in unread(skill):
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"{one.name} is not read", severity="medium",
            message=f"{one.name} is said to carry something over, and nothing tells anybody to read it",
            advice=f"Say who reads {one.name}, and when: first thing in each run.", facts={"name": one.name},
        )  # fmt: skip


def _files(skill: Skill) -> Iterator[Hit]:
    files = json_files(skill)
    if not files:
        return
    order = {phase.file: phase.order for phase in skill.phases}
    for root, uses in used(skill, frozenset(files)).items():
        yield from _of_root(skill, root, uses, files, order)
    yield from _unbound(skill, files, order)


def _of_root(
    skill: Skill, root: str, uses: Sequence[Use], files: dict[str, list[Artefact]], order: dict[str, int]
) -> Iterator[Hit]:
    """The uses of one file's fields: those that lack what the others do first."""
    places = files[root]
    having = [use for use in uses if loads(skill, use, places)]
    working = [use for use in uses if use not in having and _works(use, skill)]
    lacking = [use for use in working if not _creates(use, places, order)]
    if len(having) >= 2 and lacking and (len(lacking) == 1 or len(having) / len([*having, *lacking]) >= MOST):
        yield from (_hit(use, places, having) for use in lacking)
    elif not having and working and _nobody_binds(skill, root, places):
        yield _hit(working[0], places, [])
    elif beside := [use for use in lacking if _reads_others(use, root, files)]:
        yield from (_hit(use, places, having) for use in beside)
    else:
        yield from (_hit(use, places, []) for use in lacking if _listed_as_input(skill, use, places))


def _reads_others(use: Use, root: str, files: dict[str, list[Artefact]]) -> bool:
    """The code of the page loads what it needs from other files of the run, and not this one, which it goes on with."""
    if use.page.blocks[block_at(use.page, use.start)].kind != "code" or use.page.kind not in KINDS:
        return False
    return any(
        other != root
        and binds(use.page, other)
        and any(a.at.file == use.page.path and a.mode == "read" and a.at.start < use.start for a in places)
        for other, places in files.items()
    )


def _listed_as_input(skill: Skill, use: Use, places: list[Artefact]) -> bool:
    """The table of phases says that this page reads the file, and the page does not name it."""
    name = places[0].name.rsplit("/", 1)[-1]
    main = skill.pages.get(skill.main)
    if main is None or name in use.page.text:
        return False
    base = use.page.path.rsplit("/", 1)[-1]
    return any(block.kind == "row" and base in block.text and name in block.text for block in main.blocks)


def _unbound(skill: Skill, files: dict[str, list[Artefact]], order: dict[str, int]) -> Iterator[Hit]:
    """Code of one page goes through what only other pages read: `index.filter(…)`."""
    for root, places in files.items():
        readers = {a.at.file for a in places if a.mode == "read" and skill.pages[a.at.file].kind in KINDS}
        going = list(goes_through(skill, root))
        if len(readers) < 2 or len(going) != 1 or going[0].page.path in readers or going[0].page.kind not in KINDS:
            continue
        if not loads(skill, going[0], places) and order.get(going[0].page.path, 2) > 1:
            yield _hit(going[0], places, [])


def _nobody_binds(skill: Skill, root: str, places: list[Artefact]) -> bool:
    """A variable that the code of the skill uses and nothing sets, with a file of its name that is read elsewhere."""
    if any(binds(page, root) for page in skill.pages.values()):
        return False
    in_code = any(field.root == root and field.mode == "read" and field.values for field in skill.fields)
    return in_code and any(artefact.mode == "read" for artefact in places)


def _works(use: Use, skill: Skill) -> bool:
    """A page that is worked through, not one that only speaks of the state: SKILL.md may leave the work to phases."""
    if use.page.kind in KINDS:
        return True
    in_words = use.page.blocks[block_at(use.page, use.start)].kind != "code"
    return use.page.path == skill.main and not (in_words and any(page.kind in KINDS for page in skill.pages.values()))


def _creates(use: Use, places: list[Artefact], order: dict[str, int]) -> bool:
    """The first step, which writes the file, has what it needs."""
    if order.get(use.page.path, 0) == 1:
        return True
    return any(
        artefact.at.file == use.page.path and artefact.mode == "write" and artefact.at.start < use.start
        for artefact in places
    ) and not order.get(use.page.path)


def _hit(use: Use, places: list[Artefact], having: list[Use]) -> Hit:
    name = next(artefact.raw for artefact in places)
    model = having[0] if having else None
    others = f"; the other {len(having)} that use it do" if having else ", and nothing else does"
    return Hit(
        file=use.page.path, start=use.start, end=use.end, subject=f"{use.root} from {places[0].name}",
        message=f"{use.root}.{use.fields[0]} is used here, and {use.page.path} never reads {name}{others}",
        advice=f"Read {name} before it is used" + (f", as {model.page.path} does." if model else "."),
        facts={"root": use.root, "artefact": places[0].name, "raw": name, "model": model.page.path if model else ""},
    )  # fmt: skip


DETECTOR = Detector(
    rule="state-not-loaded", dimension="memory", severity="high", confidence="likely", strategy="structured_state",
    title="state is used and not loaded",
    why="A model that comes to this step with a fresh context does not have the value; it makes one up, or stops.",
    advice="Read the file before its content is used.", look=look,
)  # fmt: skip
