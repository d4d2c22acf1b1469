"""What is news of a cycle, and that a letter about one says so."""

import pytest

from loopwright.core import pause
from loopwright.core.errors import Invalid
from loopwright.core.notices import Event, Notice, Notification, compose_notification, find_notice
from loopwright.core.state import Parked, PermissionRequest, Waiting
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.model import CycleState
from tests.domain.cycle_making import AT, created, running

LATER = "2026-01-22T12:00:00+08:00"
ASK = PermissionRequest(id="ask-1", agent="codex", action="cd.implement", title="curl", command="curl x.org", since=AT)
DECIDE = Waiting(question="Which provider first?", options=("Google", "GitHub"), since=AT)

RUNNING = running(interactive=True)
waiting = commands.wait_for_person(RUNNING, DECIDE)
permission = pause.add_permission_request(RUNNING, ASK)
ANSWERED = waiting.evolve(engine=waiting.engine.evolve(answer="Google"))
parked = commands.park(RUNNING, Parked(until=LATER, reason="usage limit"))
done = commands.complete(RUNNING, "succeeded", AT)
failed = commands.fail(RUNNING, "exhausted", "5 iterations are used up", AT)


@pytest.mark.parametrize(
    ("before", "after", "event", "words"),
    [
        (RUNNING, waiting, "needs_person", "asks: Which provider first?"),
        (RUNNING, permission, "needs_person", "codex asks"),
        (RUNNING, parked, "parked", f"waits until {LATER}"),
        (RUNNING, done, "finished", "done, succeeded"),
        (waiting, failed, "finished", "not done, exhausted: 5 iterations"),
    ],
)  # fmt: skip
def test_news(before: CycleState, after: CycleState, event: Event, words: str) -> None:
    notice = find_notice(before, after)
    assert notice is not None
    assert notice.event == event
    assert words in notice.words
    assert find_notice(after, after) is None, "never twice"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (created(), RUNNING), (RUNNING, commands.pause(RUNNING)), (RUNNING, commands.stop(RUNNING, AT)),
        (waiting, ANSWERED), (permission, pause.clear_permission_requests(permission)),
        (done, commands.extend(done, "And Microsoft", LATER)),
    ],
)  # fmt: skip
def test_what_people_do_themselves_is_no_news(before: CycleState, after: CycleState) -> None:
    assert find_notice(before, after) is None


def test_a_letter_names_the_cycle_and_what_it_asks() -> None:
    notice = find_notice(RUNNING, waiting)
    assert notice is not None
    told = compose_notification(notice, waiting, "/project", AT, str, "cycle_id")
    assert (told.id, told.cycle_id, told.loop_id) == (waiting.cycle_id, waiting.cycle_id, None)
    assert (told.question, told.options) == ("Which provider first?", ("Google", "GitHub"))
    assert "loop_id" not in told.model_dump()


def test_a_letter_is_about_one() -> None:
    told = compose_notification(Notice("finished", "done"), done, "/project", AT, str, "cycle_id")
    for ids in ({"loop_id": "loop-1"}, {"cycle_id": None}):
        with pytest.raises(Invalid, match="one loop, one cycle or one tuning session"):
            told.evolve(**ids)
    assert Notification.model_validate_json(told.model_dump_json()) == told
