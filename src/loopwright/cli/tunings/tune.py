"""`loopwright tune`: diagnoses skills, and mends them where that is wanted."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, opened, quoted
from loopwright.cli.output import cells, has_person, is_plain, remark, write
from loopwright.domain.errors import Conflict, Exit, Invalid, NotFound
from loopwright.domain.findings import DIMENSIONS, Dimension
from loopwright.domain.tuning import MAX_ITERATIONS
from loopwright.domain.tuning_engine import Level

if TYPE_CHECKING:
    from loopwright.cli.tunings.targets import Targets
    from loopwright.domain.tuning import TuningState
    from loopwright.engine.bus import Note
    from loopwright.ports import Rule
    from loopwright.tune.report.checked import Checked
    from loopwright.wiring import Engine

FORMATS = ("text", "json", "sarif")
LEVELS: dict[str, Level] = {"mechanical": "mechanical", "all": "template"}


def tune(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… [WORDS]",
            help="A skill, or a folder of skills; then what is wrong with it.",
            show_default=False,
        ),
    ] = None,
    focus: Annotated[
        str | None, typer.Option("--focus", metavar="WHAT", help=f"Only some of {','.join(DIMENSIONS)}.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what follows from the skill itself.")] = False,
    fix_all: Annotated[
        bool, typer.Option("--fix-all", "--fix=all", help="Mend what follows from a similar place of the skill, too.")
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Let this agent write the fixes that nothing else knows."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Apply every fix without asking.")] = False,
    rollback: Annotated[
        str | None, typer.Option("--rollback", metavar="FIX", help="Take this fix out of the skill's files again.")
    ] = None,
    tuning_id: Annotated[
        str | None, typer.Option("--tuning-id", metavar="ID", help="Take up this session instead.")
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="text, json or sarif.")] = "text",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write there what would be printed.", show_default=False),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Findings that are accepted as they are.", show_default=False),
    ] = None,
    update_baseline: Annotated[bool, typer.Option("--update-baseline", help="Accept all that is found now.")] = False,
    installed: Annotated[
        bool, typer.Option("--installed", help="The skills that are installed for the known hosts.")
    ] = False,
    max_iterations: Annotated[
        int, typer.Option("--max-iterations", metavar="N", help="Rounds of mending.")
    ] = MAX_ITERATIONS,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Diagnose agent skills: what is wrong, why, and what to do; with --fix mend it, verified by diagnosing again."""
    form = "json" if json else form
    if form not in FORMATS:
        raise Invalid(f"--format is one of {', '.join(FORMATS)} (got {form!r})")
    with opened(project) as engine:
        if tuning_id is not None and rollback is None:
            raise typer.Exit(_taken_up(engine, tuning_id, launched=launched, form=form, yes=yes, output=output))
        found = _targets(engine, what or [], installed=installed, named=tuning_id is not None)
        if rollback is not None:
            raise typer.Exit(_rolled_back(engine, found, rollback, tuning_id, form))
        level: Level = "agent" if agent else "template" if fix_all else "mechanical" if fix else "none"
        order = _Order(
            engine, _dimensions(focus), level, agent, yes, form, output, baseline, update_baseline, max_iterations
        )
        raise typer.Exit(order.carried_out(found))


def _targets(engine: "Engine", what: Sequence[str], *, installed: bool, named: bool) -> "Targets":
    from loopwright.cli.tunings.targets import Targets, targets

    if named and not what:
        return Targets((), True, "")
    return targets(what, installed=installed, project=engine.project, home=Path.home(), skills=engine.tunings.folders)


def _dimensions(focus: str | None) -> tuple[Dimension, ...]:
    if focus is None:
        return DIMENSIONS
    words = [word.strip().lower() for word in focus.split(",") if word.strip()]
    if strange := [word for word in words if word not in DIMENSIONS]:
        raise Invalid(f"--focus knows {', '.join(DIMENSIONS)} (got {', '.join(strange)})")
    if not words:
        raise Invalid(f"--focus needs one or more of {', '.join(DIMENSIONS)}")
    return tuple(one for one in DIMENSIONS if one in words)


class _Order:
    """What one call of the command is to do with each of its skills."""

    def __init__(
        self, engine: "Engine", dimensions: tuple[Dimension, ...], level: Level, agent: str | None, yes: bool,
        form: str, output: Path | None, baseline: Path | None, update: bool, max_iterations: int,
    ) -> None:  # fmt: skip
        self.engine, self.dimensions, self.level, self.agent, self.yes = engine, dimensions, level, agent, yes
        self.form, self.output, self.baseline, self.update = form, output, baseline, update
        self.max_iterations = max_iterations
        if update and baseline is None:
            raise Invalid("--update-baseline writes the file of --baseline FILE; name it")
        if level != "none" and not yes and has_person() and form != "text":
            raise Invalid(f"--format {form} can not ask which fixes to apply; add --yes")

    def carried_out(self, found: "Targets") -> Exit:
        known = _Known(self.baseline, self.update)
        skills: list[Checked] = []
        for root in found.roots:
            if found.single or (self.level != "none" and self._has_something(root, known)):
                state = self._session(root, found.words, known)
                if state.engine.waiting is not None:
                    return Exit.NEEDS_PERSON
                skills.append(_checked(state))
            else:
                skills.append(self._looked_at(root, known))
        if self.update:
            known.write(self.engine, skills)
        self._tell(skills, single=found.single)
        return Exit.DONE if all(skill.gate == "pass" for skill in skills) else Exit.NO_SUCCESS

    def _looked_at(self, root: Path, known: "_Known") -> "Checked":
        from loopwright.tune.report.checked import check

        path = _shown(root, self.engine.project)
        files = self.engine.tunings.folders.read(root)
        return check(files, path, self.dimensions, known.accepted(root))

    def _has_something(self, root: Path, known: "_Known") -> bool:
        from loopwright.domain.tuning_engine import RANKS

        checked = self._looked_at(root, known)
        if self.level == "agent":
            return bool(checked.counted)
        return any(RANKS[level] <= RANKS[self.level] for level in checked.fixable.values())

    def _session(self, root: Path, words: str, known: "_Known") -> "TuningState":
        state = self.engine.create_tuning(
            Path(_shown(root, self.engine.project)), description=words, dimensions=self.dimensions, level=self.level,
            focus=self.dimensions if len(self.dimensions) < len(DIMENSIONS) else (), agent=self.agent,
            choosing=self.level != "none", accepted=known.accepted(root), max_iterations=self.max_iterations,
        )  # fmt: skip
        return _driven(self.engine, state.tuning_id, yes=self.yes or not has_person(), form=self.form)

    def _tell(self, skills: "list[Checked]", *, single: bool) -> None:
        from loopwright.cli.tunings.telling import rendered

        text = rendered(skills, self.form, single=single, cells=cells(), colours=not is_plain() and not self.output)
        if self.output is not None:
            self.output.write_text(text, encoding="utf-8", errors="surrogateescape")
            remark(f"written to {self.output}")
        else:
            print(text, flush=True)


class _Known:
    """What a baseline accepts, by the skill's path from where its file lies."""

    def __init__(self, file: Path | None, update: bool) -> None:
        from loopwright.tune import baseline

        self._file = file
        self._baseline: baseline.Baseline | None = None
        if file is not None and not update:
            if not file.is_file():
                raise NotFound(f"there is no baseline {file}; write one with --update-baseline")
            self._baseline = baseline.read(str(file), file.read_bytes())

    def accepted(self, root: Path) -> frozenset[str]:
        return self._baseline.accepted(self._name(root)) if self._baseline is not None else frozenset()

    def write(self, engine: "Engine", skills: "Sequence[Checked]") -> None:
        from loopwright import __version__
        from loopwright.tune.baseline import baseline_of, written

        if self._file is None:
            return
        found = {self._name((engine.project / skill.path).resolve()): skill.findings for skill in skills}
        now = engine.tunings.clock.now().isoformat(timespec="seconds")
        self._file.write_bytes(written(baseline_of(found, version=__version__, created=now)))
        remark(f"{sum(map(len, found.values()))} findings are accepted in {self._file}")

    def _name(self, root: Path) -> str:
        import os

        place = self._file.resolve().parent if self._file is not None else Path()
        return Path(os.path.relpath(root, place)).as_posix()


def _shown(root: Path, project: Path) -> str:
    """As people call the folder: from the project where it lies in it."""
    return str(root.relative_to(project)) if root.is_relative_to(project) and root != project else str(root)


def _checked(state: "TuningState") -> "Checked":
    from loopwright.tune.report.checked import of_session

    return of_session(state)


def _driven(engine: "Engine", id: str, *, yes: bool, form: str) -> "TuningState":
    """The session in this process, until it ends; at each choice a person is asked, or everything is taken."""
    from loopwright.cli.tunings.choosing import chosen
    from loopwright.domain import tuning_commands as commands

    take_up: Rule[TuningState] = _as_it_is
    while True:
        state = _run(engine, id, take_up, quiet=form != "text")
        if state.engine.waiting is None or state.status != "running":
            return state
        ids = chosen(state, yes=yes, quiet=form != "text")

        def take_up(latest: "TuningState", ids: tuple[str, ...] = ids) -> "TuningState":
            return commands.choose(latest, ids) if latest.engine.waiting else latest


def _as_it_is(state: "TuningState") -> "TuningState":
    return state


def _run(engine: "Engine", id: str, take_up: "Rule[TuningState]", *, quiet: bool) -> "TuningState":
    from loopwright.engine.bus import Bus

    def hear(note: "Note") -> None:
        if not quiet and note.kind == "activity":
            remark(f"· {note.text}")

    try:
        return asyncio.run(engine.tuning_runner.drive(id, take_up=take_up, bus=Bus(hear)))
    except KeyboardInterrupt:
        remark(f"\nloopwright: interrupted; nothing is lost, take it up again with: loopwright tune --tuning-id {id}")
        raise


def _taken_up(engine: "Engine", id: str, *, launched: bool, form: str, yes: bool, output: Path | None) -> Exit:
    """A session that is there: in the background it rests where somebody has to choose."""
    if not launched and engine.tunings.is_live(id):
        raise Conflict(f"{id} is being driven by another process; follow it with: loopwright tunings watch {id}")
    if launched:
        state = _run(engine, id, _as_it_is, quiet=True)
        return Exit.NEEDS_PERSON if state.engine.waiting else Exit.DONE
    state = _driven(engine, id, yes=yes or not has_person(), form=form)
    order = _Order(engine, state.engine.dimensions, "none", None, yes, form, output, None, False, 1)
    order._tell([_checked(state)], single=True)
    return Exit.DONE if state.quality_gate == "pass" and state.status == "completed" else Exit.NO_SUCCESS


def _rolled_back(engine: "Engine", found: "Targets", fix: str, tuning_id: str | None, form: str) -> Exit:
    if tuning_id is None:
        if len(found.roots) != 1:
            raise Invalid("--rollback is about one skill: name it, or the session with --tuning-id")
        state = engine.tunings.latest_of(found.roots[0], lambda s: any(f.fix_id == fix for f in s.applied_fixes))
        tuning_id = state.tuning_id
    state = engine.tunings.roll_back(tuning_id, fix)
    if form == "json":
        write({"success": True, "tuning_id": tuning_id, "fix": fix, "quality_score": state.quality_score})
    else:
        print(f"{fix} is rolled back; the skill's files are what they were before it (score {state.quality_score:g})")
        print(f"see loopwright tune {quoted(state.engine.path)}")
    return Exit.DONE
