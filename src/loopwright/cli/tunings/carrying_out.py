"""Each skill of an order looked at or mended, and what came of it told as a whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.cli.output import remark
from loopwright.cli.tunings.known import BaselineFile, Known, Nothing, read_baseline, write_baseline
from loopwright.cli.tunings.order import Order
from loopwright.cli.tunings.session import driven
from loopwright.cli.tunings.showing import Counter
from loopwright.cli.tunings.targets import Targets, shown
from loopwright.domain.errors import Exit, Invalid, NotFound

if TYPE_CHECKING:
    from loopwright.domain.tuning import TuningState
    from loopwright.tune.report.checked import Checked
    from loopwright.wiring import Engine


@dataclass(frozen=True)
class Result:
    """`skills`: with the folder of each. `sessions`: by folder, where one was driven. `unread`: could not be read."""

    skills: tuple[tuple[Path, "Checked"], ...] = ()
    sessions: "dict[Path, TuningState]" = field(default_factory=dict)
    unread: bool = False

    @property
    def exit(self) -> Exit:
        """How good all of them are, unless one could not be looked at."""
        states = self.sessions.values()
        if any(state.engine.outcome is None for state in states):
            return Exit.NEEDS_PERSON
        if self.unread:
            return Exit.DAMAGED
        passed = all(skill.gate == "pass" for _, skill in self.skills)
        return Exit.DONE if passed and all(state.status == "completed" for state in states) else Exit.NO_SUCCESS


def carried_out(engine: "Engine", targets: Targets, order: Order, baseline: Path | None, *, update: bool) -> Result:
    """Looks at all of them, mends those where something can be mended, and keeps the baseline."""
    engine.check_catalogues()
    known: Known = Nothing()
    if baseline is not None and update:
        found = tuple(_looked_at(engine, targets.roots, order, known))
        pairs = tuple((root, skill) for root, skill in found if skill)
        known = write_baseline(baseline, pairs, engine.tunings.clock.now().isoformat(timespec="seconds"))
    elif baseline is not None:
        known = read_baseline(baseline)
    result = _tuned(engine, targets, order, known)
    engine.found_before.tidy()
    if isinstance(known, BaselineFile):
        known.tell_gone(result.skills)
    return result


def _tuned(engine: "Engine", targets: Targets, order: Order, known: Known) -> Result:
    if targets.single:
        (root,) = targets.roots
        return _mended(engine, {root: None}, order, known)
    looked = dict(_looked_at(engine, targets.roots, order, known))
    skills = {root: skill for root, skill in looked.items() if skill}
    sick = {root: skill for root, skill in skills.items() if _has_something(skill, order)}
    mended = _mended(engine, sick, order, known)
    ended = dict(mended.skills)
    return Result(
        tuple((root, ended.get(root, skill)) for root, skill in skills.items()), mended.sessions,
        unread=len(skills) < len(looked),
    )  # fmt: skip


def _looked_at(
    engine: "Engine", roots: Sequence[Path], order: Order, known: Known
) -> "Iterator[tuple[Path, Checked | None]]":
    """Without a session; what can not be read is told, and keeps nobody from the rest."""
    with Counter(len(roots)) as counter:
        for number, root in enumerate(roots):
            counter.at(number)
            try:
                yield root, looked_at(engine, root, order, known.accepted(root))
            except (Invalid, NotFound, OSError) as error:
                remark(f"loopwright: {error}")
                yield root, None


def looked_at(engine: "Engine", root: Path, order: Order, accepted: frozenset[str]) -> "Checked":
    """One skill as it is now."""
    from loopwright.tune.report.kept import checked

    files = engine.tunings.folders.read(root)
    return checked(files, shown(root, order.base), order.dimensions, accepted, engine.found_before)


def _has_something(skill: "Checked", order: Order) -> bool:
    """Whether a session could find or mend anything more."""
    from loopwright.domain.tuning_engine import RANKS

    if order.agent is not None:
        return True
    prints = {finding.fingerprint for finding in skill.counted}
    return any(RANKS[level] <= RANKS[order.level] for print, level in skill.fixable.items() if print in prints)


def _mended(engine: "Engine", roots: "Mapping[Path, Checked | None]", order: Order, known: Known) -> Result:
    """A session for each."""
    from loopwright.domain.tuning import MAX_ITERATIONS

    skills: list[tuple[Path, Checked]] = []
    sessions: dict[Path, TuningState] = {}
    for root in roots:
        state = engine.create_tuning(
            Path(shown(root, engine.project)), description=order.words, dimensions=order.dimensions, focus=order.focus,
            level=order.level, agent=order.agent, refuter=order.refuter, choosing=order.asks,
            accepted=known.accepted(root), max_iterations=order.max_iterations or MAX_ITERATIONS,
        )  # fmt: skip
        sessions[root] = driven(engine, state.tuning_id, order)
        skills.append((root, of_session(sessions[root], order)))
    return Result(tuple(skills), sessions)


def of_session(state: "TuningState", order: Order) -> "Checked":
    """The skill as the session left it, with its path as people say it."""
    from loopwright.tune.report.checked import of_session

    return replace(of_session(state), path=shown(Path(state.engine.root), order.base))
