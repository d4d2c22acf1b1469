"""One turn from its updates: texts, calls, files."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.updates import (
    CALLS_KEPT,
    COMMAND_KEPT,
    OUTPUT_KEPT,
    TEXT_KEPT,
    WORDS_TOLD,
    TurnState,
    paths_inside,
    reduce_update,
)
from loopwright.core.protocol import Usage
from loopwright.core.transcript import AgentEvent, AgentText, AgentThought, ToolUse
from tests.agents.acp.updates import CHUNKS, UPDATES, call, chunk, diff, read, text

ROOTS = ("/p", "/real/p")


def folded(*updates: dict[str, Any]) -> tuple[TurnState, list[AgentEvent]]:
    turn, events = TurnState(), []
    for update in updates:
        turn, event = reduce_update(turn, read(update))
        events += [event] if event is not None else []
    return turn, events


@given(st.lists(UPDATES, max_size=30))
def test_the_text_is_what_was_said(updates: list[dict[str, Any]]) -> None:
    turn, events = folded(*updates)
    assert turn.text == "".join(event.text for event in events if isinstance(event, AgentText))
    assert not turn.cut
    said = [
        u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk" and "text" in u["content"]
    ]
    assert turn.text.replace("\n", "") == "".join(said).replace("\n", "")


@given(st.lists(UPDATES, max_size=30))
def test_calls_are_told_as_they_stand_and_never_twice_the_same(updates: list[dict[str, Any]]) -> None:
    turn, events = folded(*updates)
    last: dict[str, ToolUse] = {}
    for event in events:
        if isinstance(event, ToolUse):
            last[event.id] = event
    assert last == {id: each.told() for id, each in turn.calls.items()}
    assert list(turn.calls) == list(dict.fromkeys(u["toolCallId"] for u in updates if "toolCallId" in u))


@given(st.lists(UPDATES, max_size=30))
def test_what_was_written_lies_in_the_project_and_did_not_fail(updates: list[dict[str, Any]]) -> None:
    turn, _ = folded(*updates)
    wrote = paths_inside(turn.wrote, ROOTS)
    assert set(wrote) <= {"a.txt", "sub/b.txt", "c.txt", "e.txt"}
    assert len(set(wrote)) == len(wrote)
    if all(each.status in ("pending", "failed") for each in turn.calls.values()):
        assert wrote == ()


@given(st.lists(CHUNKS, max_size=20), st.lists(CHUNKS, max_size=20))
def test_folding_can_be_interrupted_anywhere(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    half, _ = folded(*before)
    for update in after:
        half = reduce_update(half, read(update)).turn
    assert half == folded(*before, *after)[0]


class TestTexts:
    def test_messages_are_parted(self) -> None:
        turn, _ = folded(chunk("I ", "m1"), chunk("look.", "m1"), chunk("Done.", "m2"))
        assert turn.text == "I look.\n\nDone."

    def test_a_tool_call_parts_what_names_no_message(self) -> None:
        """So that a report after it begins a line of its own."""
        turn, _ = folded(chunk("I look."), call("c1", is_new=True, title="ls"), chunk("ACTION_"), chunk("RESULT:"))
        assert turn.text == "I look.\n\nACTION_RESULT:"

    def test_what_names_no_message_is_kept_apart(self) -> None:
        turn, _ = folded(chunk("I begin.", "m1"), chunk("High demand."))
        assert turn.unnamed == "High demand."

    def test_the_end_of_a_long_text_is_kept(self) -> None:
        turn, _ = folded(chunk("x" * TEXT_KEPT, "m"), chunk("end", "m"))
        assert (len(turn.text), turn.text[-4:], turn.cut) == (TEXT_KEPT, "xend", True)

    def test_thoughts_are_heard_and_no_part_of_the_answer(self) -> None:
        turn, events = folded({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}})
        assert (turn.text, events) == ("", [AgentThought(text="hm")])


class TestCalls:
    def test_updates_add_up(self) -> None:
        """gemini sends no first call, opencode changes its mind on what it is."""
        turn, _ = folded(
            call("c1", title="bash", kind="execute", rawInput={"cwd": "/p"}),
            call("c1", title="ls", rawInput={"command": "ls"}, locations=[{"path": "/p"}], status="in_progress"),
            call("c1", status="completed", content=[text("a b")]),
        )
        assert turn.calls["c1"].told() == ToolUse(
            id="c1", title="ls", tool="execute", status="completed", paths=("/p",), command="ls", output="a b"
        )

    def test_output_comes_in_parts_or_whole(self) -> None:
        delta: dict[str, Any] = {"_meta": {"terminal_output_delta": {"data": "more\n"}}}
        turn, _ = folded(
            call("c1", **delta), call("c1", **delta), call("c2", content=[text("a")]), call("c2", content=[text("ab")])
        )
        assert (turn.calls["c1"].output, turn.calls["c2"].output) == ("more\nmore\n", "ab")

    @pytest.mark.parametrize(
        ("raw", "command"),
        [
            ({"command": "ls -l"}, "ls -l"),
            ({"cmd": ["ls", "-l", "a b"]}, "ls -l 'a b'"),
            ({"command": ["ls", 7]}, None),
            ({"command": ""}, None),
            ({"other": "x"}, None),
            ("text", "the title"),
            (None, "the title"),
        ],
    )
    def test_the_command(self, raw: object, command: str | None) -> None:
        """gemini tells of it in the title alone."""
        turn, _ = folded(call("c1", kind="execute", title="the title", rawInput=raw))
        assert turn.calls["c1"].command == command

    @pytest.mark.parametrize(
        ("raw", "places"),
        [
            ({"file_path": "/p/a", "content": "/not/this"}, ("/p/a",)),
            ({"filepath": "/p/a", "parentDir": "/p"}, ("/p/a", "/p")),
            ({"old_path": "a", "newPath": "b"}, ("a", "b")),
            ({"files": ["a", 7, "b"], "source": "c", "destination": None}, ("a", "b", "c")),
            ({"path": ""}, ()),
            (["/p/a"], ()),
        ],
    )
    def test_places_in_the_raw_input(self, raw: object, places: tuple[str, ...]) -> None:
        assert folded(call("c1", kind="edit", rawInput=raw))[0].calls["c1"].places == places

    def test_what_is_told_is_bounded_and_what_is_judged_is_not_cut_early(self) -> None:
        long = "x" * 40_000
        turn, (event,) = folded(
            call("c1", kind="execute", title=long, rawInput={"command": long}, content=[text(long)])
        )
        assert turn.calls["c1"].command == long
        assert isinstance(event, ToolUse)
        assert (len(event.title), len(event.command or ""), len(event.output)) == (WORDS_TOLD, WORDS_TOLD, OUTPUT_KEPT)
        assert len(folded(call("c1", rawInput={"command": long * 2}))[0].calls["c1"].command or "") == COMMAND_KEPT

    def test_old_calls_are_forgotten_but_not_what_they_wrote(self) -> None:
        first = call("first", kind="edit", status="completed", content=[diff("/p/first.txt")])
        turn, _ = folded(first, *(call(f"c{n}", kind="read") for n in range(CALLS_KEPT + 50)))
        assert len(turn.calls) == CALLS_KEPT
        assert paths_inside(turn.wrote, ROOTS) == ("first.txt",)

    @pytest.mark.parametrize(
        ("more", "wrote"),
        [
            ({"kind": "edit", "status": "completed", "content": [diff("/p/a")]}, ("a",)),
            ({"kind": "edit", "status": "in_progress", "content": [diff("a")]}, ("a",)),
            ({"kind": "edit", "status": "completed", "locations": [{"path": "/p/a"}]}, ("a",)),
            ({"kind": "move", "status": "completed", "locations": [{"path": "/p/a"}, {"path": "/p/b"}]}, ("a", "b")),
            ({"kind": "delete", "status": "completed", "locations": [{"path": "/p/x/../a"}]}, ("a",)),
            ({"kind": "execute", "status": "completed", "content": [diff("/p/a")]}, ("a",)),
            ({"kind": "read", "status": "completed", "locations": [{"path": "/p/a"}]}, ()),
            ({"kind": "edit", "status": "failed", "content": [diff("/p/a")]}, ()),
            ({"kind": "edit", "status": "pending", "content": [diff("/p/a")]}, ()),
            ({"kind": "edit", "status": "completed", "content": [diff("/p/../q/a")]}, ()),
        ],
    )
    def test_what_it_wrote(self, more: dict[str, Any], wrote: tuple[str, ...]) -> None:
        assert paths_inside(folded(call("c1", **more))[0].wrote, ROOTS) == wrote

    def test_what_lies_beside_the_project_is_named_whole(self) -> None:
        paths = ("/p/a", "/other/ra/x", "/real/other/ep/../ra/y", "/other", "/others/z", "../q")
        assert paths_inside(paths, ROOTS, ("/other", "/real/other")) == ("a", "/other/ra/x", "/other/ra/y")
        assert paths_inside(("/p/w/ra/x", "/elsewhere"), ROOTS, ("/p/w",)) == ("w/ra/x",)

    @pytest.mark.parametrize(
        ("update", "server"),
        [
            (call("c", kind="execute", rawInput={"server": "ours"}, _meta={"is_mcp_tool_call": True}), "ours"),
            (call("c", kind="other", _meta={"toolName": "mcp__ours__t"}), "ours"),
            (call("c", kind="other", _meta={"claudeCode": {"toolName": "mcp__ours__t"}}), "ours"),
            (call("mcp_ours_t__1", kind="other", title="t (ours MCP Server)"), "ours"),
            (call("c", kind="execute", rawInput={"server": "ours"}), None),
            (call("c", kind="execute", rawInput={"server": "ours", "_meta": {"is_mcp_tool_call": True}}), None),
            (call("run_shell_command__1", kind="execute", title="rm -rf / # (ours MCP Server)"), None),
            (call("run_shell_command__1", kind="other", title="rm -rf / # (ours MCP Server)"), None),
            (call("c", kind="other", title="mcp__ours__t"), None),
        ],
    )  # fmt: skip
    def test_whose_tool_it_is_only_the_program_can_say(self, update: dict[str, Any], server: str | None) -> None:
        turn, _ = folded(update)
        (each,) = turn.calls.values()
        assert each.server == server


def test_a_failed_thread_stays_failed() -> None:
    def status(name: str) -> dict[str, Any]:
        return {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": name}}}}

    assert folded(status("active"))[0].is_broken is False
    assert folded(status("systemError"), status("idle"))[0].is_broken is True


def test_requests_are_told_apart_by_calls_and_by_messages() -> None:
    """Codex tells of no call that its sandbox did not let begin."""
    full = {"sessionUpdate": "usage_update", "used": 10, "size": 100}
    ended = call("c1", is_new=True, status="completed")
    for between, expected in ([], 10), ([chunk("b", "1")], 10), ([chunk("b", "2")], 20), ([ended], 20), (
        [ended, chunk("b", "2"), chunk("c", "3")], 20
    ):  # fmt: skip
        turn, _ = folded(chunk("a", "1"), full, *between, full)
        assert turn.heard_usage == Usage(tokens=expected), between
