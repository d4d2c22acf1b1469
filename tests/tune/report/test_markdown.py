"""The report beside a session's state: found, why, what was done about it, and what did not hold."""

from loopwright.workflows.tuning.model import DIAGNOSES, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import FixOffer, RefusalOutcome, VerifyOutcome
from loopwright.workflows.tuning.report.markdown import render_report
from tests.domain.tuning_making import (
    SCOPED,
    created,
    diagnosed,
    diagnosed_all,
    driven,
    ended,
    finding,
    in_files,
    offer,
    proposed,
    reported,
    usual,
    verified,
)

ONE, TWO = finding("one", severity="high"), finding("two", "agent")
HINT = finding("perhaps", "memory", confidence="hint")
VERIFY = TuningStep("action-verify", "FIX-001")


def offered() -> TuningState:
    state = diagnosed_all(created(level="mechanical"), ONE, TWO)
    first = offer("FIX-001", ONE)
    return proposed(state, FixOffer(first.fix.evolve(issue_ids=("ISS-001",)), first.proposal), offer("FIX-002", TWO))


def test_the_first_lines_say_how_it_stands() -> None:
    state = diagnosed_all(created(dimensions=("dataflow", "memory"), description="it <forgets> things"), ONE, HINT)
    assert render_report(state).splitlines()[:9] == [
        "# a", "", f"**Quality gate passed**, score {state.quality_score:g} (exact checks only).", "",
        "- Skill: `skills/a`, about 1,000 tokens", "- Described: it \\<forgets\\> things",
        "- Found: 1 high; 1 hint, which do not count",
        "- Meaning: not asked: only the exact checks ran (--agent NAME asks)",
        "- Not asked for: context, agent",
    ]  # fmt: skip


def test_every_finding_stands_beside_its_source_with_why_and_what_to_do() -> None:
    told = render_report(diagnosed_all(created(), ONE))
    expected = """### ISS-001 one is wrong

high, exact, `dead-reference`, `SKILL.md` line 3

```text
    3 | a line about one
```

- Why it matters: a model stumbles over it
- What to do: mend one
- Can be fixed by `--fix`
"""
    assert expected in told
    assert "\n\n\n" not in told
    assert told.index("## Data flow") < told.index("ISS-001") < told.index("## Agents")


def test_a_dimension_says_that_nothing_was_found_or_that_it_could_not_be_looked_at() -> None:
    state = ended(created(dimensions=("memory", "agent")), "action-init", SCOPED)
    state = ended(state, DIAGNOSES["memory"], diagnosed("memory"))
    state = ended(state, DIAGNOSES["agent"], diagnosed("agent", problem="unknown-role broke"))
    told = render_report(ended(state, "action-report", reported(state)))
    assert "## Memory: what is forgotten on the way\n\nNothing was found." in told
    assert "- **agent could not be checked**, so the gate cannot be passed" in told
    assert told.split("## Agents")[1].splitlines()[2] == "Could not be checked."
    assert "## Context" not in told


def test_a_hint_is_no_issue() -> None:
    told = render_report(diagnosed_all(created(), HINT))
    assert "### perhaps is wrong\n\nhint, `no-recovery`" in told
    assert "ISS-" not in told


def test_what_became_of_each_fix() -> None:
    state = offered()
    assert "waits to be applied; would fix ISS-001; the change is in `fixes/FIX-001.diff`" in render_report(state)
    state = in_files(state, "FIX-001")
    assert "applied, not verified yet; meant to fix ISS-001" in render_report(state)
    held = ended(state, VERIFY, verified(state, "FIX-001"))
    assert "- applied and verified" in render_report(held)
    broke = ended(state, VERIFY, VerifyOutcome("FIX-001", False, ("a link | broke",), (), {}))
    assert "applied, and rolled back: a link \\| broke" in render_report(broke)
    refused = ended(held, TuningStep("action-apply-fix", "FIX-002"), RefusalOutcome("FIX-002", "SKILL.md changed"))
    assert "not applied: SKILL.md changed" in render_report(refused)


def test_several_iterations_are_a_table() -> None:
    state = driven(created(level="mechanical"), usual((ONE, TWO)))
    told = render_report(state)
    rows = told.split("|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    assert len(rows) == 2
    assert rows[-1].endswith("| 100 | pass |")
    assert told.rstrip().endswith("The session ended (succeeded).")
    assert "## Fixes" in told


def test_nothing_of_the_skill_breaks_out_of_its_place() -> None:
    odd = finding("x", severity="high").evolve(
        excerpt="```js <script>\nx ```` y", message="a | b\n# c <img>", file="a`b.md",
        also=tuple("x`" for _ in range(12)),
    )  # fmt: skip
    told = render_report(diagnosed_all(created(), odd))
    assert "`````text\n    3 | ```js <script> x ```` y\n`````\n" in told
    assert "### ISS-001 a \\| b # c \\<img\\>" in told
    assert "`a'b.md` line 3" in told
    assert " and 4 more places" in told
    assert "\n# c" not in told
