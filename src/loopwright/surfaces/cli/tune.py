"""`loopwright tune`: diagnoses skills, and mends them where that is wanted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from typer.core import TyperCommand

from loopwright.core.errors import Conflict, ExitCode, Invalid, NotFound
from loopwright.core.text import json_line, plural
from loopwright.surfaces.cli.options import (
    HERE,
    LIMITS,
    Given,
    Json,
    Project,
    add_options,
    open_project,
    project_option,
    quote_shell,
    read_options,
)
from loopwright.surfaces.cli.output import count_cells, has_person, is_plain, print_json, print_remark
from loopwright.surfaces.cli.text import Layout, paint_coloured, paint_plain
from loopwright.surfaces.cli.tune_targets import (
    AcceptedFindings,
    BaselineFile,
    NoBaseline,
    Targets,
    display_path,
    read_baseline,
    write_baseline,
)

if TYPE_CHECKING:
    from loopwright.skills.findings import Dimension
    from loopwright.wiring import Engine
    from loopwright.workflows.tuning.model import Level, TuningState
    from loopwright.workflows.tuning.report.skill_check import SkillCheck


def _flag(name: str, *short: str, help: str) -> Any:  # Any: a type with a typer.Option
    return Annotated[bool | None, typer.Option(name, *short, show_default=False, help=help)]


def _text(name: str, metavar: str, help: str) -> Any:  # Any: as above
    return Annotated[str | None, typer.Option(name, metavar=metavar, help=help)]


def _file(name: str, *short: str, help: str) -> Any:  # Any: as above
    return Annotated[Path | None, typer.Option(name, *short, metavar="FILE", help=help)]


TUNE: dict[str, Any] = {  # Any: as above
    "focus": _text("--focus", "WHAT", "Only some of context,memory,dataflow,agent."),
    "fix": _text(
        "--fix",
        "[=all]",
        "Fix what has one right answer; =all, with --agent: let the agent fix the rest.",
    ),
    "agent": _text("--agent", "NAME", "Also ask this agent about the meaning: auto, codex, … (see doctor)."),
    "model": _text("--model", "NAME", "Model that this agent works with (default: its own)."),
    "effort": _text("--effort", "NAME", "How much that model thinks: low, high, … (default: its own)."),
    "refuter": _text("--refuter", "NAME", "Who tries to refute its findings (default: the same, in a new session)."),
    "max_tokens": LIMITS["max_tokens"],
    "max_cost": LIMITS["max_cost"],
    "yes": _flag("--yes", "-y", help="Apply every fix without asking."),
    "rollback": _text("--rollback", "FIX", "Undo this fix in the skill's files."),
    "tuning_id": _text("--tuning-id", "ID", "Continue this session instead."),
    "installed": _flag("--installed", help="Check the skills installed for the known hosts."),
    "files": _flag("--files", help="Check the skills that the files PATH… belong to."),
    "form": _text("--format", "FORM", "text (default), json or sarif."),
    "output": _file("--output", "-o", help="Write the output to FILE."),
    "baseline": _file("--baseline", help="Accept the findings listed in FILE."),
    "update_baseline": _flag("--update-baseline", help="Write all current findings to the baseline."),
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Rounds of fixing (default: 5).")
    ],
}
"""By the name of the parameter."""


Form = Literal["text", "json", "sarif"]
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True)
class TuneOrder:
    """`words`: what is wrong, as the user says it. `asks`: a person at this terminal takes or leaves each fix.

    `base`: from where paths are told. `events`: what happens is told as it happens, an object a
    line. `at` ends each suggested command. `max_iterations` None: as many as there are usually.
    """

    base: Path
    dimensions: "tuple[Dimension, ...]"
    level: "Level" = "none"
    agent: str | None = None
    model: str | None = None
    effort: str | None = None
    refuter: str | None = None
    words: str = ""
    asks: bool = False
    form: Form = "text"
    events: bool = False
    output: Path | None = None
    max_iterations: int | None = None
    at: str = ""

    @property
    def focus(self) -> "tuple[Dimension, ...]":
        """What was asked for, where that is not everything."""
        from loopwright.skills.findings import DIMENSIONS

        return self.dimensions if len(self.dimensions) < len(DIMENSIONS) else ()


def form_of(form: str, json: bool) -> Form:
    known = next((one for one in FORMS if one == form), None)
    if known is None:
        raise Invalid(f"--format is one of {', '.join(FORMS)} (got {form!r})")
    if json and known == "sarif":
        raise Invalid("--format sarif is already JSON; omit --json")
    return "json" if json else known


def dimensions_of(focus: str | None) -> "tuple[Dimension, ...]":
    """All of them where nothing is said. Invalid names what there is."""
    from loopwright.skills.findings import DIMENSIONS

    if focus is None:
        return DIMENSIONS
    words = [word.strip().lower() for word in focus.split(",") if word.strip()]
    if strange := [word for word in words if word not in DIMENSIONS]:
        raise Invalid(f"--focus takes {', '.join(DIMENSIONS)} (got {', '.join(strange)})")
    if not words:
        raise Invalid(f"--focus needs one or more of {', '.join(DIMENSIONS)}")
    return tuple(one for one in DIMENSIONS if one in words)


FLAG = "--fix"
LEVELS: "dict[str, Level]" = {"mechanical": "mechanical", "all": "template"}
"""What is typed → what may be mended. The first is meant where nothing is typed."""


class TuneCommand(TyperCommand):
    """Takes `--fix` for its first level, so that a path may follow it."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:  # Any: a context of Typer's own parser
        return super().parse_args(context, add_level(args))


def add_level(args: Sequence[str]) -> list[str]:
    """With a level at each bare `--fix`: the one that follows as a word, else the first."""
    said: list[str] = []
    waiting = [*args]
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            return [*said, word, *waiting]
        if word == FLAG:
            level = waiting.pop(0) if waiting[:1] == ["all"] else next(iter(LEVELS))
            word = f"{FLAG}={level}"
        said.append(word)
    return said


def level_of(fix: str | None) -> "Level":
    """What may be mended; with an agent, all is what it writes, too."""
    if fix is not None and fix not in LEVELS:
        raise Invalid(f"{FLAG} applies exact fixes, {FLAG}=all also those the agent writes (got {FLAG}={fix})")
    return LEVELS[fix] if fix is not None else "none"


LIMIT_OPTIONS = ("max_tokens", "max_cost", "max_iterations")
"""Options that are settings, too, and are checked as these."""


@add_options(TUNE)
def tune(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… [WORDS]",
            show_default=False,
            help="Skills, or folders of skills; a last argument with a space that is no path says what is wrong.",
        ),
    ] = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Check agent skills: what is wrong, why, and what to do; --fix also fixes it, verified by a new diagnosis."""
    given = read_options(options)
    _check(given)
    words, id, fix = what or [], given.get("tuning_id"), given.get("rollback")
    with open_project(project, {name: given[name] for name in LIMIT_OPTIONS if name in given}) as engine:
        order = _order(engine, given, project_option(project), json=json)
        if fix is not None:
            code = _rolled_back(engine, words, fix, id, order)
        elif id is not None:
            code = _taken_up(engine, words, id, order, yes=bool(given.get("yes")), launched=launched)
        else:
            code = _tuned(engine, _targets(engine, words, given), order, given)
    raise typer.Exit(code)


def _check(given: Given) -> None:
    """What does not go together."""
    mends = "fix" in given or "agent" in given
    begun = {"installed", "files", "focus", "fix", "agent", "model", "effort", "refuter", "baseline", *LIMIT_OPTIONS}
    if "tuning_id" in given and given.keys() & begun:
        raise Invalid("--tuning-id continues a session with its own options; omit the others")
    if given.get("update_baseline") and "baseline" not in given:
        raise Invalid("--update-baseline writes the file of --baseline FILE; name it")
    if "refuter" in given and "agent" not in given:
        raise Invalid("--refuter tries to refute an agent's findings; name that agent with --agent")
    if given.get("update_baseline") and mends:
        raise Invalid("fix first, then accept what is left: --update-baseline excludes --fix and --agent")
    if given.get("fix") == "all" and "agent" not in given:
        raise Invalid("--fix=all lets an agent write what --fix cannot fix; name it with --agent")
    if given.keys() & {"model", "effort"} and "agent" not in given:
        raise Invalid("--model and --effort are those of an agent; name it with --agent")
    if given.keys() & {"max_tokens", "max_cost"} and "agent" not in given:
        raise Invalid("--max-tokens and --max-cost limit what an agent uses; name it with --agent")
    if "yes" in given and not given.keys() & {"fix", "tuning_id"}:
        raise Invalid("--yes applies fixes without asking; say which with --fix, or --fix=all --agent NAME")


def _order(engine: "Engine", given: Given, at: str, *, json: bool) -> "TuneOrder":

    level, form = level_of(given.get("fix")), form_of(given.get("form", "text"), json)
    asks = level != "none" and not given.get("yes") and form == "text" and has_person()
    base = Path.cwd() if form == "text" else engine.project
    return TuneOrder(
        base,
        dimensions_of(given.get("focus")),
        level,
        agent=given.get("agent"),
        model=given.get("model"),
        effort=given.get("effort"),
        refuter=given.get("refuter"),
        asks=asks,
        form=form,
        events=json,
        output=given.get("output"),
        max_iterations=given.get("max_iterations"),
        at=at,
    )


def _targets(engine: "Engine", words: list[str], given: Given) -> "Targets":
    from loopwright.surfaces.cli.tune_targets import find_installed, find_named, find_owning

    installed, files = bool(given.get("installed")), bool(given.get("files"))
    if installed and (words or files):
        raise Invalid("--installed finds the skills itself; omit the paths")
    if installed:
        return find_installed((engine.project, Path.home()), engine.tunings.folders)
    return find_owning(words) if files else find_named(words, engine.tunings.folders)


def _tuned(engine: "Engine", found: "Targets", order: "TuneOrder", given: Given) -> ExitCode:
    order = replace(order, words=found.words)
    update = bool(given.get("update_baseline"))
    result = tune_skills(engine, found, order, given.get("baseline"), update=update)
    print_result(result, order, single=found.single)
    return result.exit


def _taken_up(
    engine: "Engine", words: list[str], id: str, order: "TuneOrder", *, yes: bool, launched: bool
) -> ExitCode:
    """A session that is there: in the background it rests where somebody has to choose."""
    from loopwright.surfaces.cli.tuning_session import drive_session

    if words:
        raise Invalid("--tuning-id continues a session; do not name a skill as well")
    state = engine.tunings.read(id)
    if launched:
        drive_session(engine, id, replace(order, asks=False))
        return ExitCode.DONE
    if engine.tunings.is_live(id):
        raise Conflict(f"{id} is being driven by another process; follow it with: loopwright tunings watch {id}")
    asks = state.engine.choosing and not yes and order.form == "text" and has_person()
    order = replace(order, level=state.engine.level, asks=asks)
    state = drive_session(engine, id, order)
    root = engine.tunings.root_of(state)
    result = TuneResult(((root, read_session_check(state, root, order)),), {root: state})
    print_result(result, order, single=True)
    return result.exit


def _rolled_back(engine: "Engine", words: list[str], fix: str, id: str | None, order: "TuneOrder") -> ExitCode:

    if (id is None) == (not words):
        raise Invalid("--rollback undoes a fix in one skill: name it, or its session with --tuning-id")
    if id is None:
        found = _targets(engine, words, {})
        if len(found.roots) != 1:
            raise Invalid(f"--rollback needs one skill, not {len(found.roots)}; name one, or use --tuning-id")
        state = engine.tunings.latest_of(found.roots[0], lambda s: any(f.fix_id == fix for f in s.applied_fixes))
        id = state.tuning_id
    print_rollback(engine.tunings.roll_back(id, fix), fix, order)
    return ExitCode.DONE


@dataclass(frozen=True)
class TuneResult:
    """`skills`: with the folder of each. `sessions`: by folder, where one was driven. `unread`: could not be read."""

    skills: tuple[tuple[Path, "SkillCheck"], ...] = ()
    sessions: "dict[Path, TuningState]" = field(default_factory=dict)
    unread: bool = False

    @property
    def exit(self) -> ExitCode:
        """How good all of them are, unless one could not be looked at."""
        states = self.sessions.values()
        if any(state.engine.outcome is None for state in states):
            return ExitCode.NEEDS_PERSON
        if self.unread:
            return ExitCode.DAMAGED
        passed = all(skill.gate == "pass" for _, skill in self.skills)
        return ExitCode.DONE if passed and all(state.status == "completed" for state in states) else ExitCode.NO_SUCCESS


def tune_skills(
    engine: "Engine", targets: Targets, order: TuneOrder, baseline: Path | None, *, update: bool
) -> TuneResult:
    """Looks at all of them, mends those where something can be mended, and keeps the baseline."""
    engine.check_catalogues()
    known: AcceptedFindings = NoBaseline()
    if baseline is not None and update:
        found = tuple(_looked_at(engine, targets.roots, order, known))
        pairs = tuple((root, skill) for root, skill in found if skill)
        known = write_baseline(baseline, pairs, engine.tunings.clock.now().isoformat(timespec="seconds"))
    elif baseline is not None:
        known = read_baseline(baseline)
    result = _tuned_skill(engine, targets, order, known)
    engine.runners.found_before.tidy()
    if isinstance(known, BaselineFile):
        known.tell_gone(result.skills)
    return result


def _tuned_skill(engine: "Engine", targets: Targets, order: TuneOrder, known: AcceptedFindings) -> TuneResult:
    if targets.single:
        (root,) = targets.roots
        return _mended(engine, {root: None}, order, known)
    looked = dict(_looked_at(engine, targets.roots, order, known))
    skills = {root: skill for root, skill in looked.items() if skill}
    sick = {root: skill for root, skill in skills.items() if _has_something(skill, order)}
    mended = _mended(engine, sick, order, known)
    ended = dict(mended.skills)
    return TuneResult(
        tuple((root, ended.get(root, skill)) for root, skill in skills.items()),
        mended.sessions,
        unread=len(skills) < len(looked),
    )


def _looked_at(
    engine: "Engine", roots: Sequence[Path], order: TuneOrder, known: AcceptedFindings
) -> "Iterator[tuple[Path, SkillCheck | None]]":
    """Without a session; what cannot be read is told, and keeps nobody from the rest."""
    from loopwright.surfaces.cli.tuning_session import ProgressCounter

    with ProgressCounter(len(roots)) as counter:
        for number, root in enumerate(roots):
            counter.at(number)
            try:
                yield root, check_target(engine, root, order, known.accepted(root))
            except (Invalid, NotFound, OSError) as error:
                print_remark(f"loopwright: {error}")
                yield root, None


def check_target(engine: "Engine", root: Path, order: TuneOrder, accepted: frozenset[str]) -> "SkillCheck":
    """One skill as it is now."""
    from loopwright.workflows.tuning.report.skill_check import check_with_cache

    files = engine.tunings.folders.read(root)
    return check_with_cache(
        files, display_path(root, order.base), order.dimensions, accepted, engine.runners.found_before
    )


def _has_something(skill: "SkillCheck", order: TuneOrder) -> bool:
    """Whether a session could find or mend anything more."""
    from loopwright.workflows.tuning.model import RANKS

    if order.agent is not None:
        return True
    prints = {finding.fingerprint for finding in skill.counted}
    return any(RANKS[level] <= RANKS[order.level] for print, level in skill.fixable.items() if print in prints)


def _mended(
    engine: "Engine", roots: "Mapping[Path, SkillCheck | None]", order: TuneOrder, known: AcceptedFindings
) -> TuneResult:
    """A session for each."""
    from loopwright.surfaces.cli.tuning_session import drive_session
    from loopwright.workflows.tuning.model import MAX_ITERATIONS

    skills: list[tuple[Path, SkillCheck]] = []
    sessions: dict[Path, TuningState] = {}
    for root in roots:
        state = engine.create_tuning(
            Path(display_path(root, engine.project)),
            description=order.words,
            dimensions=order.dimensions,
            focus=order.focus,
            level=order.level,
            agent=order.agent,
            model=order.model,
            effort=order.effort,
            refuter=order.refuter,
            choosing=order.asks,
            accepted=known.accepted(root),
            max_iterations=order.max_iterations or MAX_ITERATIONS,
        )
        sessions[root] = drive_session(engine, state.tuning_id, order)
        skills.append((root, read_session_check(sessions[root], root, order)))
    return TuneResult(tuple(skills), sessions)


def read_session_check(state: "TuningState", root: Path, order: TuneOrder) -> "SkillCheck":
    """The skill as the session left it, with its path as people say it."""
    from loopwright.workflows.tuning.report.skill_check import read_session_check

    return replace(read_session_check(state), path=display_path(root, order.base))


FILE_CELLS = 120
"""Of a line in a file."""


def print_result(result: TuneResult, order: TuneOrder, *, single: bool) -> None:
    """On stdout, or in the file that was named."""
    if order.output is None:
        print(
            _rendered(result, order, single, look=Layout(count_cells(), paint_plain if is_plain() else paint_coloured)),
            flush=True,
        )
        return
    text = _rendered(result, order, single, look=Layout(FILE_CELLS, paint_plain))
    order.output.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")
    passed = sum(skill.gate == "pass" for _, skill in result.skills)
    print_remark(f"written to {order.output}: {passed:,} of {plural(len(result.skills), 'skill')} passed")


def print_rollback(state: "TuningState", fix: str, order: TuneOrder) -> None:
    id, score = state.tuning_id, state.quality_score
    if order.form != "text":
        print_json(
            {"success": True, "tuning_id": id, "fix": fix, "quality_score": score, "quality_gate": state.quality_gate}
        )
        return
    print(f"{fix} is rolled back: its files are byte for byte what they were (score {score:g})")


def _rendered(result: TuneResult, order: TuneOrder, single: bool, look: Layout) -> str:
    from loopwright.surfaces.cli.findings import overview
    from loopwright.workflows.tuning.report.sarif import render_sarif
    from loopwright.workflows.tuning.report.skill_check import findings_document

    skills = [skill for _, skill in result.skills]
    sessions = {skill.path: state for root, skill in result.skills if (state := result.sessions.get(root))}
    if order.form == "sarif":
        return render_sarif(skills).decode(errors="surrogateescape").rstrip("\n")
    if order.form == "json":
        told = findings_document(skills, sessions)
        end = {"type": "rest", "success": result.exit == 0, "exit_code": int(result.exit)} if order.events else {}
        return json_line({**end, **told})
    if not skills:
        return "no skill among these files"
    pages = [_page(result, number, order, look, single=single) for number in range(len(skills))]
    pages = [page for page in pages if page]
    return "\n\n".join(pages if single else [*pages, overview(skills, look)])


def _page(result: TuneResult, number: int, order: TuneOrder, look: Layout, *, single: bool) -> str:
    """One skill; of many only those with findings, or with something mended, have a page."""
    from loopwright.surfaces.cli.findings import mended_page, skill_page

    root, skill = result.skills[number]
    state = result.sessions.get(root)
    if not single and not skill.counted and state is None:
        return ""
    place = quote_shell(_typed(root, order))
    page = skill_page(skill, look, place)
    if state is None:
        return page
    if state.engine.reason:
        page += f"\n\n{look.paint('critical', 'The session failed:')} {state.engine.reason}"
    return f"{page}\n" + mended_page(state, place, look, diffs=not order.asks)


def _typed(root: Path, order: TuneOrder) -> str:
    return root.relative_to(order.base).as_posix() if root.is_relative_to(order.base) else str(root)
