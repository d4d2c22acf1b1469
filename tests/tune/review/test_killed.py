"""A runner that dies at any moment of a review: the session ends as if it had not, and nothing is asked for nothing."""

from collections import Counter
from pathlib import Path

import pytest

from loopwright.core.protocol import AgentOutput, Message
from loopwright.skills.disk.cache import FindingsCache
from tests.tune.review.test_reviewing import BOTH, ENDLESS, FILES, found, judged
from tests.tune.session.stage import TuneStage, texts
from tests.tune.session.test_trouble import died_and_taken_up

MOMENTS = 35
"""So much is told in a session that nobody disturbs."""


def answering(stage: TuneStage) -> None:
    """An agent that says the same to the same question, however often it is asked."""

    def play(folder: Path, message: Message) -> AgentOutput | str | None:
        by_action = {
            "action-diagnose-dataflow": found(BOTH), "action-diagnose-agent": found(ENDLESS),
            "action-verify": judged("stands", "F1"),
        }  # fmt: skip
        return by_action.get(message.action, found())(folder, message)

    stage.plays = [play] * 100


@pytest.mark.parametrize("n", range(MOMENTS))
async def test_at_any_moment(stage: TuneStage, tmp_path: Path, n: int) -> None:
    answering(stage)
    stage.answers = FindingsCache(tmp_path / "cache", "code")
    root = stage.skill(FILES)
    id = stage.create(root, level="none", reviewer="writer")
    state = await died_and_taken_up(stage, id, n)
    assert (state.status, texts(root), state.engine.unreviewed) == ("completed", FILES, ())
    assert [(one.rule, one.confidence) for one in state.engine.findings] == [
        ("contradicting-rules", "confirmed"), ("unbounded-work", "confirmed"),
    ]  # fmt: skip
    asked = Counter(order.action for order in stage.orders)
    assert asked.total() <= 7, "at most the one that was cut off is asked again"
