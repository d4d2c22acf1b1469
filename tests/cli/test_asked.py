"""What agents ask, in words: the list, the page, the plan, the journal, and what to type."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.state import EngineState, PermissionRequest
from loopwright.core.wording import event_words
from loopwright.surfaces.cli.loop_rendering import LOOP, LoopScene
from loopwright.surfaces.cli.main import main
from loopwright.workflows.loop.model import LoopState, SkillState

AT = "2026-01-22T10:00:00+08:00"
NOW = datetime(2026, 1, 22, 3, 0, tzinfo=UTC)


def request(n: int, **changes: object) -> PermissionRequest:
    one = PermissionRequest(
        id=f"ask-{n:08x}", agent="codex", action="DEVELOP", title="Run", kind="execute", command=f"make n{n}",
        reason="it needs you", since=AT,
    )  # fmt: skip
    return one.evolve(**changes)


def asking(*requests: PermissionRequest) -> LoopState:
    return LoopState(
        loop_id="loop-v2-1", title="Fix it", description="Fix it", status="running", created_at=AT, updated_at=AT,
        skill_state=SkillState(current_action="develop"), engine=EngineState().evolve(asked=requests),
    )  # fmt: skip


def page(state: LoopState, *, live: bool = True, whole: bool = False) -> str:
    return LOOP.page(state, live=live, elsewhere=" --project x", whole=whole)


def test_one_request() -> None:
    state = asking(request(1))
    assert LOOP.status(state, live=True) == "running (asks)"
    assert LOOP.headline(state, live=True) == "Running; 1 permission request is open."
    assert "  ask-00000001  codex asks to run: make n1; it needs you" in page(state).splitlines()
    assert [line.split("loopwright ")[1] for line in LOOP.next_lines(state, True, " --project x")] == [
        "approve loop-v2-1 --allow --project x", "approve loop-v2-1 --deny --project x",
    ]  # fmt: skip
    assert "  ? codex asks to run: make n1" in [line.text for line in LoopScene(state).lines(100)]


def test_several_are_named_and_long_lists_are_cut() -> None:
    state = asking(*map(request, range(20)))
    assert LOOP.headline(state, live=True) == "Running; 20 permission requests are open."
    assert "approve loop-v2-1 ask-00000000 --allow" in page(state)
    assert "… and 12 more" in page(state)
    assert "make n19" in page(state, whole=True)
    plan = "\n".join(line.text for line in LoopScene(state).lines(100))
    assert "make n2" in plan
    assert "make n3" not in plan
    assert "… and 17 more" in plan


def test_without_a_runner_nobody_asks() -> None:
    state = asking(request(1))
    assert LOOP.status(state, live=False) == "running (no runner)"
    assert "permission" not in page(state, live=False)
    assert "approve" not in page(state, live=False)


def test_an_answer_on_its_way_is_shown() -> None:
    assert "ask-00000001 (allow)  codex asks" in page(asking(request(1, answer="allow")))


def test_words_of_an_agent_do_not_steer_the_terminal() -> None:
    state = asking(request(1, command="make\x1b[2J\nnext:  loopwright approve x", reason="\x1b]0;x\x07" + "y" * 10_000))
    for text in (page(state), *(line.text for line in LoopScene(state).lines(100))):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "\nnext:  loopwright approve x" not in page(state)
    assert len(page(state)) < 3000


@pytest.mark.parametrize(
    ("type", "data", "words"),
    [
        (
            "permission_asked",
            {"request": "ask-1", "words": "codex asks to run: make"},
            "ask-1: codex asks to run: make",
        ),
        ("permission_answered", {"request": "ask-1, ask-2", "answer": "deny"}, "ask-1, ask-2 is denied"),
        ("permission_taken", {"request": "ask-1", "answer": "allow"}, "the agent continues, ask-1 is allowed"),
        ("permission_withdrawn", {"request": "ask-1", "answer": "deny"}, "ask-1 no longer needs an answer"),
    ],
)
def test_the_journal_in_words(type: str, data: dict[str, str], words: str) -> None:
    entry = JournalEntry(seq=1, ts=AT, actor="runner", event=JournalEvent(type=type, data=dict(data)))
    assert event_words(entry) == words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["loop-v2-1"], "give --allow or --deny"),
        (["loop-v2-1", "ask-1", "--all", "--allow"], "name one request, or give only --all"),
        (["../x", "--allow"], "Invalid loop ID"),
    ],
)
def test_approve_says_what_is_wrong(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["approve", *arguments, "--project", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err
