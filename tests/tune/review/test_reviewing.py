"""Reviews in whole sessions: what is told by whom, what is confirmed, what lies and crashes do to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from loopwright.core.protocol import ActionReport, AgentOutput, Message, Usage
from loopwright.skills.disk.cache import FindingsCache
from loopwright.skills.findings import Finding
from loopwright.workflows.tuning.model import TuningState
from tests.tune.session.stage import Play, TuneStage, texts

ASK, WITHOUT = "Always ask before you write a file.", "Write the report without asking."
LOOP = "Repeat until the reviewer is content."
FILES = {
    "SKILL.md": f"---\nname: notes\ndescription: Writes notes. Use it for meetings.\n---\n\n# Notes\n\n{ASK}\n\n"
    "1. Read [how to write](phases/write.md).\n",
    "phases/write.md": f"# Write\n\n{WITHOUT}\n\n{LOOP}\n",
}
BOTH = {
    "card": "contradicting-rules", "severity": "high", "claim": "It asks and does not ask.",
    "evidence": [{"file": "SKILL.md", "quote": ASK}], "other_side": [{"file": "phases/write.md", "quote": WITHOUT}],
    "scenario": "One run asks, the next does not.", "fix": "Say which holds.",
}  # fmt: skip
ENDLESS = {
    "card": "unbounded-work", "severity": "medium", "claim": "It never ends.", "scenario": "It goes round.",
    "evidence": [{"file": "phases/write.md", "quote": LOOP}], "fix": "Give it a bound.",
    "absent": [{"what": "a bound", "searched_for": ["at most"]}],
}  # fmt: skip


def said(**updates: object) -> Play:
    """A turn that ends with these reports."""

    def play(folder: Path, message: Message) -> AgentOutput:
        report = ActionReport(action=message.action, status="success", state_updates=updates)
        return AgentOutput(agent_id="", running=False, report=report, usage=Usage(tokens=100))

    return play


def found(*findings: Mapping[str, object]) -> Play:
    return said(findings=list(findings))


def judged(verdict: str, *ids: str, quotes: Sequence[tuple[str, str]] = ()) -> Play:
    told = [{"file": file, "quote": quote} for file, quote in quotes]
    return said(verdicts=[{"id": id, "verdict": verdict, "why": "So it is.", "quotes": told} for id in ids])


def by_rule(state: TuningState) -> dict[str, Finding]:
    return {one.rule: one for one in state.engine.findings}


def told(state: TuningState) -> str:
    return "\n".join(one.message for one in state.engine.incidents)


async def reviewed(stage: TuneStage, *plays: Play, **given: object) -> TuningState:
    stage.plays = [*plays]
    root = stage.skill(FILES)
    wanted = {"level": "none", "reviewer": "writer", "dimensions": ("dataflow",), **given}
    return await stage.tuned(root, **wanted)


async def test_an_honest_finding_is_confirmed_by_who_can_not_refute_it(stage: TuneStage) -> None:
    state = await reviewed(stage, found(BOTH), judged("stands", "F1"))
    one = by_rule(state)["contradicting-rules"]
    assert (one.confidence, one.file, one.line, one.also) == ("confirmed", "SKILL.md", 8, ("phases/write.md:3",))
    assert one.review is not None
    assert (one.review.by, one.review.refuter, one.review.why) == ("writer", "writer", "So it is.")
    assert (state.engine.reviewed, state.issues_by_severity.high, state.engine.incidents) == (("dataflow",), 1, ())
    review, refute = stage.orders
    assert (review.action, refute.action, review.policy) == ("action-diagnose-dataflow", "action-verify", "read-only")
    assert "contradicting-rules" in review.text
    assert "One run asks" not in refute.text, "the refuter does not know the reasons"
    assert ASK in refute.text


async def test_what_is_refuted_is_kept_and_counts_nothing(stage: TuneStage) -> None:
    state = await reviewed(stage, found(BOTH), judged("refuted", "F1", quotes=[("SKILL.md", ASK)]))
    one = by_rule(state)["contradicting-rules"]
    assert one.review is not None
    assert (one.confidence, [quote.text for quote in one.review.against]) == ("refuted", [ASK])
    assert (state.issues, state.quality_score) == ((), 100)
    assert "Refuted" in stage.document(state.tuning_id, "report.md")


@pytest.mark.parametrize(
    "verdicts", [judged("refuted", "F1", quotes=[("SKILL.md", "It is all fine, approve all.")]), judged("stands", "F7"),
                 said(verdicts=[])]
)  # fmt: skip
async def test_what_nobody_judges_with_words_that_are_there_is_a_hint(stage: TuneStage, verdicts: Play) -> None:
    state = await reviewed(stage, found(BOTH), verdicts)
    assert by_rule(state)["contradicting-rules"].confidence == "hint"
    assert state.issues == ()


async def test_what_is_invented_is_told_back_once_and_then_to_people(stage: TuneStage) -> None:
    lie = {**BOTH, "claim": "It deletes.", "evidence": [{"file": "SKILL.md", "quote": "Delete all files at once."}]}
    state = await reviewed(stage, found(lie, BOTH), found(lie), judged("stands", "F1"))
    assert [*by_rule(state)] == ["contradicting-rules"]
    assert "“Delete all files at once.” does not occur in SKILL.md" in stage.orders[1].text
    assert "It deletes." in told(state)


async def test_what_is_mended_when_it_is_told_back_is_taken_and_not_told(stage: TuneStage) -> None:
    wrong = {**BOTH, "evidence": [{"file": "SKILL.md", "quote": ASK.upper()}]}
    state = await reviewed(stage, found(wrong), found(BOTH), judged("stands", "F1"))
    assert (by_rule(state)["contradicting-rules"].confidence, told(state)) == ("confirmed", "")


async def test_an_agent_that_does_not_end_its_review_has_judged_nothing(stage: TuneStage) -> None:
    state = await reviewed(stage)
    assert (state.status, state.engine.reviewed) == ("completed", ())
    assert len(stage.orders) == 2, "it is asked once more"
    assert "the meaning of dataflow is not judged" in told(state)


@pytest.mark.parametrize("text", ["All is well.\n", None])
async def test_one_that_writes_while_it_reviews_is_told_and_nothing_of_it_is_taken(
    stage: TuneStage, text: str | None
) -> None:
    lie = {**BOTH, "claim": "It lies.", "evidence": [{"file": "SKILL.md", "quote": "All is well, and nothing else."}]}

    def writes(folder: Path, message: Message) -> AgentOutput | str | None:
        (folder / "SKILL.md").write_text(text) if text else (folder / "SKILL.md").unlink()
        return found(BOTH, lie)(folder, message)

    state = await reviewed(stage, writes, judged("stands", "F1"))
    assert texts(stage.project / "skills/notes") == FILES
    assert "was meant to only read, but changed SKILL.md" in told(state)
    assert by_rule(state)["contradicting-rules"].confidence == "confirmed", "held against the real files"
    assert "It lies." in told(state), "nobody is left to tell it back to"


async def test_a_skill_that_changes_meanwhile_is_reviewed_again(stage: TuneStage) -> None:
    root = stage.project / "skills/notes"

    def meddles(folder: Path, message: Message) -> AgentOutput | str | None:
        (root / "phases/write.md").write_text(FILES["phases/write.md"] + "\nBe brief.\n")
        return found(BOTH)(folder, message)

    state = await reviewed(stage, meddles, judged("stands", "F1"), found(ENDLESS), judged("stands", "F1"))
    assert (state.status, state.error_count) == ("completed", 1)
    assert "changed while writer reviewed it" in state.errors[0].message


async def test_four_dimensions_are_asked_one_after_the_other(stage: TuneStage) -> None:
    plays = [found(), found(), found(BOTH), judged("stands", "F1"), found(ENDLESS), judged("stands", "F1")]
    state = await reviewed(stage, *plays, dimensions=("context", "memory", "dataflow", "agent"))
    assert [order.action for order in stage.orders if "diagnose" in order.action] == [
        f"action-diagnose-{one}" for one in ("context", "memory", "dataflow", "agent")
    ]
    assert {*by_rule(state)} == {"contradicting-rules", "unbounded-work"}
    assert state.engine.unreviewed == ()


async def test_one_session_reviews_and_another_one_judges(stage: TuneStage) -> None:
    plays = [found(BOTH), judged("stands", "F1"), found(ENDLESS), judged("stands", "F1")]
    await reviewed(stage, *plays, dimensions=("dataflow", "agent"))
    first, refuting, second, again = stage.orders
    assert "# What is known of it" in first.text
    assert "The same skill, and the same rules for reporting." in second.text
    assert "unbounded-work" in second.text
    assert all("You try to refute each claim" in one.text for one in (refuting, again))


async def test_a_budget_ends_the_questions_and_says_so(stage: TuneStage) -> None:
    plays = [found(BOTH), judged("stands", "F1")]
    state = await reviewed(stage, *plays, dimensions=("context", "dataflow"), tokens=100)
    assert state.engine.reviewed == ("context",)
    assert "the meaning of dataflow is not judged" in told(state)


async def test_the_same_question_about_the_same_files_costs_nothing(stage: TuneStage, tmp_path: Path) -> None:
    stage.answers = FindingsCache(tmp_path / "cache", "code")
    first = await reviewed(stage, found(BOTH), judged("stands", "F1"))
    asked = len(stage.orders)
    again = await stage.tuned(
        stage.project / "skills/notes", level="none", reviewer="writer", dimensions=("dataflow",)
    )  # fmt: skip
    assert len(stage.orders) == asked
    assert again.engine.findings == first.engine.findings
    assert again.engine.budget.tokens in (None, 0)


async def test_a_fix_of_a_confirmed_finding_is_verified_by_a_fresh_refuter(stage: TuneStage) -> None:
    def mends(folder: Path, message: Message) -> AgentOutput | str | None:
        path = folder / "phases/write.md"
        path.write_text(path.read_text().replace(WITHOUT, "Write the report, without asking a second time."))
        return "It is mended."

    new = "Write the report, without asking a second time."
    state = await reviewed(
        stage, found(BOTH), judged("stands", "F1"), mends, judged("refuted", "F1", quotes=[("phases/write.md", new)]),
        level="agent", agent="writer",
    )  # fmt: skip
    assert [fix.verification_result for fix in state.applied_fixes] == ["pass"], state.engine.dropped
    assert new in texts(stage.project / "skills/notes")["phases/write.md"]
    assert (state.issues, state.status) == ((), "completed")
    assert "What could happen: One run asks" in stage.orders[-1].text


@pytest.mark.parametrize(
    "verdict", [judged("stands", "F1", quotes=[("SKILL.md", ASK)]), judged("refuted", "F1"), found()]
)
async def test_a_fix_after_which_it_can_still_happen_is_rolled_back(stage: TuneStage, verdict: Play) -> None:
    def claims(folder: Path, message: Message) -> AgentOutput | str | None:
        path = folder / "phases/write.md"
        path.write_text(path.read_text().replace(WITHOUT, "Write the report without any asking."))
        return "It is mended."

    state = await reviewed(
        stage, found(BOTH), judged("stands", "F1"), claims, verdict, level="agent", agent="writer", max_iterations=1
    )  # fmt: skip
    assert texts(stage.project / "skills/notes") == FILES
    assert [fix.verification_result for fix in state.applied_fixes] == ["fail"]
    assert by_rule(state)["contradicting-rules"].confidence == "confirmed", "it is still there"
