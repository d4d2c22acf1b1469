"""Repairs: one file per kind, each from findings to proposals of exact edits."""

from collections.abc import Callable, Sequence

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes import (
    add_constraints,
    add_entry,
    add_row,
    add_state_schema,
    ask_if_there,
    bound_accumulator,
    complete_example,
    correct_table,
    declare_field,
    declare_tool,
    drop_unread,
    drop_unwritten,
    lead_elsewhere,
    likely_name,
    limit_repeat,
    limit_return,
    limit_wait,
    load_state,
    mend_rows,
    move_aside,
    name_the_source,
    pass_path,
    put_right,
    read_when_needed,
    reword,
    right_name,
    same_words,
    save_each_round,
    say_failure,
    say_recovery,
    say_return,
    settle_rules,
    store_request,
    tell_goal,
    wait_for_agents,
    work_alone,
)
from loopwright.tune.fixes.fixer import Fixer, proposals
from loopwright.tune.skill.model import Skill

FIXERS: tuple[Fixer, ...] = (
    add_constraints.FIXER,
    add_entry.FIXER,
    add_row.FIXER,
    add_state_schema.FIXER,
    ask_if_there.FIXER,
    bound_accumulator.FIXER,
    complete_example.FIXER,
    correct_table.FIXER,
    declare_field.FIXER,
    declare_tool.FIXER,
    drop_unread.FIXER,
    drop_unwritten.FIXER,
    lead_elsewhere.FIXER,
    likely_name.FIXER,
    limit_repeat.FIXER,
    limit_return.FIXER,
    limit_wait.FIXER,
    load_state.FIXER,
    mend_rows.FIXER,
    move_aside.FIXER,
    name_the_source.FIXER,
    pass_path.FIXER,
    put_right.FIXER,
    read_when_needed.FIXER,
    reword.FIXER,
    right_name.FIXER,
    same_words.FIXER,
    save_each_round.FIXER,
    say_failure.FIXER,
    say_recovery.FIXER,
    say_return.FIXER,
    settle_rules.FIXER,
    store_request.FIXER,
    tell_goal.FIXER,
    wait_for_agents.FIXER,
    work_alone.FIXER,
)


def propose(
    skill: Skill, findings: Sequence[Finding], holds: Callable[[Proposal], bool] | None = None
) -> tuple[Proposal, ...]:
    """What all fixers know to mend, in the order of the findings; no two of them touch the same bytes.

    `holds` is asked where there are several repairs of one finding; see `rehearsal`.
    """
    return proposals(FIXERS, skill, findings, holds)
