"""Which of the proposed fixes shall be applied: a person sees the diff of each and says so."""

from loopwright.cli.output import is_plain, remark
from loopwright.cli.text import clean, coloured
from loopwright.domain.tuning import Fix, TuningState
from loopwright.tune.publish import diff_of

YES, NO, ALL, NONE = "apply it", "leave it", "apply it and all that follow", "leave it and all that follow"


def chosen(state: TuningState, *, yes: bool, quiet: bool) -> tuple[str, ...]:
    """Their ids. `yes`: all of them; their diffs are shown all the same."""
    waiting = state.engine.waiting
    offered = [fix for id in (waiting.options if waiting else ()) if (fix := state.fix(id))]
    taken: list[str] = []
    for number, fix in enumerate(offered):
        if not quiet:
            remark(shown(fix))
        if yes:
            taken.append(fix.id)
            continue
        answer = _asked(fix)
        if answer == NONE:
            break
        if answer == ALL:
            taken += [one.id for one in offered[number:]]
            break
        if answer == YES:
            taken.append(fix.id)
    return tuple(taken)


def shown(fix: Fix) -> str:
    """What it does and why, and its unified diff."""
    diff = diff_of(fix).rstrip("\n")
    return f"\n{fix.id}  {clean(fix.description)}\n{clean(fix.rationale)}\n{diff if is_plain() else coloured(diff)}"


def _asked(fix: Fix) -> str:
    import questionary

    return str(questionary.select(f"{fix.id}:", [YES, NO, ALL, NONE]).unsafe_ask())
