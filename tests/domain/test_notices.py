"""What is news: every change of a loop that a person should hear of, once, and none besides."""

from itertools import product

import pytest

from loopwright.core import pause
from loopwright.core.notices import LONGEST, Event, compose_notification
from loopwright.core.state import Limits, MenuEntry, Parked, PermissionRequest, Waiting
from loopwright.policy.secrets import SecretFilter
from loopwright.workflows.loop import commands
from loopwright.workflows.loop import commands as loop_choosing
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import loop_news as news
from tests.domain.loop_making import AT, LATER, engine, loop, task
from tests.tables import each

RUNNING, CREATED = loop("running"), loop("created")
QUESTION = Waiting(question="Which colour?", options=("red", "blue"), since=AT)
LOGIN = Waiting(question="codex needs a login", since=AT, by_resuming=True)
ASK = PermissionRequest(id="ask-1", agent="codex", action="DEVELOP", title="curl", command="curl x.org", since=AT)
LIMIT = Parked(until=LATER, reason="usage limit")
ENTRIES = (MenuEntry(name="develop", words="w", preselected=True), MenuEntry(name="debug", words="w", blocked="no"))

asking = commands.wait_for_person(RUNNING, QUESTION)
answered = commands.answer(asking, "blue")
permission = pause.add_permission_request(RUNNING, ASK)
parked = commands.park(RUNNING, LIMIT)
menu = loop_choosing.open_menu(RUNNING, ENTRIES, AT)
failed = commands.fail(RUNNING, "exhausted", "3 iterations are used up", AT)
done = commands.complete(RUNNING, "succeeded", AT)
paused = commands.pause(RUNNING)
with_task = engine(RUNNING, tasks=(task("task-1"),))
halted = engine(commands.pause(with_task), retry=("task-1",))

NEWS: list[tuple[str, LoopState, LoopState, Event, str]] = [
    ("succeeded", RUNNING, done, "finished", "done, succeeded"),
    ("exhausted", RUNNING, failed, "finished", "not done, exhausted: 3 iterations are used up"),
    ("by choice", menu, commands.complete(menu, "unverified", AT), "finished", "done, unverified"),
    ("while parked", parked, commands.fail(RUNNING, "failed", "why", AT), "finished", "not done, failed: why"),
    ("once more", done, commands.complete(commands.reopen(done), "succeeded", LATER), "finished", "done, succeeded"),
    ("question", RUNNING, asking, "needs_person", "asks: Which colour?"),
    ("in a step", RUNNING, engine(RUNNING, waiting=QUESTION), "needs_person", "asks: Which colour?"),
    ("login", RUNNING, commands.wait_for_person(RUNNING, LOGIN), "needs_person", "waits for you: codex needs a login"),
    ("asked again", answered, engine(asking, waiting=QUESTION.evolve(since=LATER)), "needs_person", "asks: Which"),
    ("permission", RUNNING, permission, "needs_person", "codex asks to use a tool: curl x.org"),
    (
        "a second",
        permission,
        pause.add_permission_request(permission, ASK.evolve(id="ask-2")),
        "needs_person",
        "codex asks",
    ),
    (
        "both",
        RUNNING,
        pause.add_permission_request(permission, ASK.evolve(id="ask-2")),
        "needs_person",
        "(and 1 request more)",
    ),
    ("menu", RUNNING, menu, "needs_person", "waits for your choice: develop"),
    ("next menu", menu, loop_choosing.open_menu(RUNNING, ENTRIES, LATER), "needs_person", "waits for your choice"),
    ("failed task", with_task, halted, "needs_person", "paused, because a task failed: task-1"),
    ("limit", RUNNING, parked, "parked", f"waits until {LATER}: usage limit"),
    ("next limit", parked, engine(parked, parked=LIMIT.evolve(until=AT)), "parked", "waits until"),
]

NO_NEWS: list[tuple[str, LoopState, LoopState]] = [
    ("started", CREATED, commands.start(CREATED)),
    ("begun", CREATED, commands.begin(CREATED)),
    ("paused by a person", RUNNING, paused),
    ("resumed", paused, commands.resume(paused, live=False)),
    ("resumed with an answer", answered, commands.resume(answered, live=False)),
    ("answered", asking, answered),
    ("stopped", RUNNING, commands.stop(RUNNING, AT)),
    ("stopped while it asks", asking, commands.stop(asking, AT)),
    ("stopped before it began", CREATED, commands.stop(CREATED, AT)),
    ("exited from the menu", menu, commands.leave(RUNNING)),
    ("reopened", done, commands.reopen(done)),
    ("edited at its end", done, commands.edit(done, {"notes": "n"})),
    ("an incident at its end", failed, engine(failed, rev=9)),
    ("limits", RUNNING, commands.set_limits(RUNNING, Limits(max_iterations=20))),
    ("limits while it asks", asking, commands.set_limits(asking, Limits(max_iterations=20))),
    ("an unrelated commit while it asks", permission, engine(permission, rev=9)),
    ("allowed", permission, pause.answer_permission(permission, ("ask-1",), "allow")),
    ("settled", permission, pause.remove_permission_request(permission, "ask-1")),
    ("chosen", menu, loop_choosing.keep_choice(menu, "develop")),
    ("another menu at the same time", menu, loop_choosing.open_menu(menu, ENTRIES[:1], LATER)),
    ("menu closed", menu, RUNNING),
    ("parked, then edited", parked, commands.edit(parked, {"notes": "n"})),
    ("parked, then paused", parked, commands.pause(parked)),
    ("the limit has reset", parked, commands.resume(parked, live=True)),
    ("paused with an old failure", engine(with_task, retry=("task-1",)), halted),
]


@pytest.mark.parametrize(("name", "before", "after", "event", "words"), NEWS, ids=[row[0] for row in NEWS])
def test_news(name: str, before: LoopState, after: LoopState, event: Event, words: str) -> None:
    notice = news(before, after)
    assert notice is not None
    assert notice.event == event
    assert words in notice.words
    assert news(after, after) is None, "never twice"
    assert news(after, engine(after, rev=after.engine.rev + 1)) is None, "nor with the next commit"


@each(("name", "before", "after"), NO_NEWS)
def test_no_news(name: str, before: LoopState, after: LoopState) -> None:
    assert news(before, after) is None


STATES = [CREATED, RUNNING, asking, answered, permission, parked, menu, failed, done, paused, halted, loop("user_exit")]


def test_any_two_states_have_one_piece_of_news_and_it_is_the_later_one_s() -> None:
    """Also where a look has missed what lies between."""
    for before, after in product(STATES, STATES):
        notice = news(before, after)
        if notice is None:
            continue
        expected = {
            "finished": after.engine.outcome not in (None, "stopped"),
            "needs_person": bool(after.engine.waiting or after.engine.asked or after.engine.menu or after.engine.retry),
            "parked": after.engine.parked is not None,
        }
        assert expected[notice.event], (before.status, after.status)


def test_a_letter_says_what_there_is_to_say_and_no_secret() -> None:
    secret = "correct horse battery"
    masked = SecretFilter([secret]).masked
    state = engine(
        permission.evolve(title=f"Log in with {secret}\x1b[31m"), waiting=QUESTION.evolve(question="x" * 5000 + secret),
        asked=(ASK.evolve(reason=f"needs {secret}"), ASK.evolve(id="ask-2", answer="allow")),
    )  # fmt: skip
    notice = news(RUNNING, state)
    assert notice is not None
    told = compose_notification(notice, state, "/project", AT, masked, "loop_id")
    assert told.text.startswith("Log in with ‹masked environment›[31m: asks: xxx")
    assert (told.event, told.status, told.loop_id, told.at) == ("needs_person", "running", state.loop_id, AT)
    assert told.options == ("red", "blue")
    assert [request.id for request in told.requests] == ["ask-1"]
    assert len(told.text) == LONGEST
    assert secret not in told.model_dump_json()


def test_a_letter_about_the_end_asks_nothing() -> None:
    notice = news(RUNNING, failed)
    assert notice is not None
    told = compose_notification(notice, failed, "/project", AT, str, "loop_id")
    assert (told.text, told.outcome, told.failure_reason, told.question) == (
        "Fix the ledger: not done, exhausted: 3 iterations are used up", "exhausted", "3 iterations are used up", None,
    )  # fmt: skip
