"""Which of the proposed fixes shall be applied: a person sees the diff of each and says so."""

from loopwright.cli.output import is_plain, remark
from loopwright.cli.text import clean, clean_lines, coloured
from loopwright.domain.tuning import Fix, TuningState
from loopwright.tune.publish import diff_of

YES, NO, ALL, NONE = "apply it", "leave it", "apply it and all that follow", "leave it and all that follow"


def chosen(state: TuningState) -> tuple[str, ...]:
    """Their ids. Ctrl-C is a KeyboardInterrupt, and nothing is chosen."""
    waiting = state.engine.waiting
    offered = [fix for id in (waiting.options if waiting else ()) if (fix := state.fix(id))]
    taken: list[str] = []
    for number, fix in enumerate(offered):
        remark(f"\n{shown(fix, plain=is_plain())}")
        answer = _asked(f"{fix.id}, {number + 1} of {len(offered)}:")
        if answer == NONE:
            break
        if answer == ALL:
            return (*taken, *(one.id for one in offered[number:]))
        if answer == YES:
            taken.append(fix.id)
    return tuple(taken)


def shown(fix: Fix, *, plain: bool) -> str:
    """What it does and why, and its unified diff."""
    diff = clean_lines(diff_of(fix)).rstrip("\n")
    return f"{fix.id}  {clean(fix.description)}\n{clean(fix.rationale)}\n{diff if plain else coloured(diff)}"


def _asked(question: str) -> str:
    import questionary

    return str(questionary.select(question, [YES, NO, ALL, NONE]).unsafe_ask())
