"""An agent that does what it should not: each has a clear outcome, and leaves no process (see scene)."""

import asyncio
import json
import shutil
import signal
import time
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import pytest

from loopwright.agents.acp.client import EVENTS_A_TURN
from loopwright.agents.acp.updates import TEXT_KEPT
from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.protocol import AgentOutput
from loopwright.core.transcript import AgentText, PermissionResult, ToolUse
from loopwright.processes.process_tree import find_process
from tests.misbehaving.orders import command, order
from tests.misbehaving.scene import Scene, marked, scene

QUICK = 10.0
"""Seconds within which a turn ends that was cancelled, or whose agent has died."""


def retrying(cause: str) -> dict[str, object]:
    """As codex tells of it."""
    error = {"message": "Reconnecting... 1/5", "additionalDetails": cause, "willRetry": True}
    return {"codex": {"error": {**error, "codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": 429}}}}}


async def failed(talk: Scene, *steps: tuple[object, ...], **more: object) -> AgentError:
    started = time.monotonic()
    with pytest.raises(AgentError) as raised:
        await talk.ask(*steps, **more)
    assert time.monotonic() - started < QUICK
    return raised.value


async def cancelled(talk: Scene) -> AgentOutput:
    started = time.monotonic()
    await talk.agent.cancel_turn(talk.id)
    output = await talk.ended()
    assert time.monotonic() - started < QUICK
    assert output.report is None
    return output


class TestAtItsStart:
    async def test_it_dies_and_its_words_are_told(self, tmp_path: Path) -> None:
        async with scene(
            tmp_path, command(start="dies", words="\x1b[31mno key\x1b[0m found\n\nsee the manual")
        ) as talk:
            error = await failed(talk)
            assert error.kind == "died"
            assert str(error).startswith("misbehaving (")
            assert str(error).endswith(": no key found; see the manual (it ended at once with exit code 3)")

    async def test_it_is_no_program(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command()) as talk:
            talk.agent._command = type(command())("none", ("loopwright-no-such-program",))
            error = await failed(talk)
            assert (error.kind, "no such program" in str(error)) == ("died", True)

    async def test_it_takes_its_time(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(start="slow", seconds=0.5)) as talk:
            await talk.begin(order(("say", "At last.")))
            assert (await talk.look(100)).running
            assert (await talk.ended()).text == "At last."

    async def test_it_hangs_until_cancelled(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(start="hangs")) as talk:
            await talk.begin(order())
            assert (await talk.look(100)).running
            assert (await cancelled(talk)).session is None
            assert marked(talk.project) == []

    async def test_it_hangs_until_closed(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(start="hangs")) as talk:
            await talk.begin(order())
            assert (await talk.look(100)).running

    async def test_it_needs_a_login(self, tmp_path: Path) -> None:
        login = {"code": -32000, "message": "Authentication required"}
        async with scene(tmp_path, command(new=login)) as talk:
            error = await failed(talk)
            assert (error.kind, str(error)) == ("auth", "misbehaving: Authentication required")

    async def test_it_speaks_another_version(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(version=2)) as talk:
            error = await failed(talk)
            assert (error.kind, "version 2 of the protocol" in str(error)) == ("protocol", True)


class TestInATurn:
    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (("die", 7, "out of luck"), ": out of luck (it ended during its turn with exit code 7)"),
            (("kill", signal.SIGKILL), "during its turn by signal 9"),
        ],
    )
    async def test_it_dies(self, tmp_path: Path, step: tuple[object, ...], words: str) -> None:
        async with scene(tmp_path) as talk:
            await talk.ask(("say", "Hello."))
            error = await failed(talk, ("say", "Well"), step)
            assert (error.kind, str(error).endswith(words)) == ("died", True)
            again = await failed(talk, ("say", "Still there?"))
            assert again.kind == "died"

    async def test_it_dies_in_half_a_line(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            error = await failed(talk, ("write_out", '{"jsonrpc": "2.0", "meth'), ("die", 1))
            assert error.kind == "died"
            assert any("not a message" in told for told in talk.troubles())

    async def test_its_children_hold_its_pipe(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            error = await failed(talk, ("daemon",), ("die", 7))
            assert (error.kind, str(error).endswith("exit code 7")) == ("died", True)
            assert marked(talk.project) != []

    async def test_it_closes_its_output_and_lives_on(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            error = await failed(talk, ("close_stdout",))
            assert (error.kind, "closed its output but is still running" in str(error)) == ("died", True)
            assert marked(talk.project) != []

    async def test_it_hangs_and_shows_no_sign_of_life(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say", "thinking"), ("hang",)))
            first = await talk.until(lambda output: output.text == "thinking")
            assert (await talk.look(300)).signs == first.signs
            assert (await cancelled(talk)).text == "thinking"
            assert (await talk.ask(("show", "prompts"))).text == "2"

    async def test_its_stderr_is_a_sign_of_life(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say", "a"), ("sleep", 0.2), ("stderr", "still at it"), ("hang",)))
            first = await talk.until(lambda output: output.text == "a")
            later = await talk.until(lambda output: output.signs > first.signs)
            assert later.text == "a"

    async def test_what_it_says_of_trouble_is_told_and_no_sign_of_life(self, tmp_path: Path) -> None:
        retry = {"sessionUpdate": "session_info_update", "_meta": retrying("exceeded retry limit, last status: 429")}
        extension = {"method": "_x/sdkMessage", "params": {"message": {"error": "overloaded", "error_status": 529}}}
        steps = (("update", retry), ("send", extension), ("stderr", "[12:01] [WARN] Attempt 1 failed with status 500"))
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say", "a"), ("sleep", 0.2), *steps, ("hang",)))
            first = await talk.until(lambda output: output.text == "a")
            later = await talk.until(lambda _: len(talk.troubles()) == 3)
            assert later.signs == first.signs
            assert talk.troubles() == [
                "misbehaving: exceeded retry limit, last status: 429; Reconnecting... 1/5",
                "misbehaving: HTTP 529; overloaded",
                "misbehaving: Attempt 1 failed with status 500",
            ]

    async def test_a_login_that_is_refused_again_and_again_is_not_waited_for(self, tmp_path: Path) -> None:
        refusal = {"message": {"error": "authentication_failed", "error_status": 401, "attempt": 1, "max_retries": 10}}
        say = ("send", {"method": "_x/sdkMessage", "params": refusal})
        async with scene(tmp_path) as talk:
            await talk.begin(order(say, say, ("say", "it worked"), say, say, ("sleep", 0.3), say, ("hang",)))
            with pytest.raises(AgentError, match="HTTP 401; authentication_failed; try 1 of 10") as caught:
                await talk.until(lambda _: False)
            assert caught.value.kind == "auth"
            assert len(talk.troubles()) == 5

    async def test_it_does_not_hear_that_it_is_cancelled(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("stubborn",), ("say", "no"), ("hang",)))
            await talk.until(lambda output: output.text == "no")
            await talk.agent.cancel_turn(talk.id)
            assert (await talk.look(300)).running

    async def test_it_does_not_even_read(self, tmp_path: Path) -> None:
        """What it leaves unread holds nobody up."""
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say", "x" * 10), ("deaf",)))
            await talk.until(lambda output: output.text != "")
            for _ in range(100):
                await talk.agent.cancel_turn(talk.id)
            assert (await talk.look(100)).running

    async def test_it_never_reads_a_long_message(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(start="hangs")) as talk:
            await talk.begin(order(brief="x" * 5_000_000))
            assert (await talk.look(200)).running

    async def test_it_goes_on_talking_after_the_turn(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say_after", "too late"), ("say", "well"), ("hang",)))
            await talk.until(lambda output: output.text == "well")
            assert (await cancelled(talk)).text == "well"
            assert (await talk.ask(("say", "next"))).text == "next"
            assert [said.text for said in talk.heard(AgentText)] == ["well", "next"]

    async def test_it_goes_on_talking_for_a_while(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("say", "well"), ("when_cancelled_later", "too late", 0.1), ("hang",)))
            await talk.until(lambda output: output.text == "well")
            assert (await cancelled(talk)).text == "well"
            assert (await talk.ask(("sleep", 0.4), ("say", "next"))).text == "next"

    async def test_it_ends_a_cancelled_turn_as_if_it_were_done(self, tmp_path: Path) -> None:
        """A command cut short is no broken thread either, when it was us who cut it."""
        broken = {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": "systemError"}}}}
        async with scene(tmp_path) as talk:
            done = ("when_cancelled", {"stopReason": "end_turn"})
            await talk.begin(order(("update", broken), done, ("say", "a"), ("hang",)))
            await talk.until(lambda output: output.text == "a")
            assert (await cancelled(talk)).text == "a"

    async def test_it_calls_a_cancelled_turn_an_error(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            error = {"code": -32603, "message": "Aborted"}
            await talk.begin(order(("when_cancelled", {"error": error}), ("say", "a"), ("hang",)))
            await talk.until(lambda output: output.text == "a")
            assert (await cancelled(talk)).text == "a"
            assert (await talk.ask(("say", "On."))).text == "On."

    async def test_it_dies_of_being_cancelled(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("stubborn",), ("say", "a"), ("sleep", 0.2), ("die", 9)))
            await talk.until(lambda output: output.text == "a")
            await talk.agent.cancel_turn(talk.id)
            with pytest.raises(AgentError) as raised:
                await talk.ended()
            assert raised.value.kind == "died"

    async def test_it_changes_its_mode_by_itself(self, tmp_path: Path) -> None:
        """It is told its mode again before the next turn."""
        update = {"sessionUpdate": "current_mode_update", "currentModeId": "plan"}
        async with scene(tmp_path, command(modes=["calm", "plan"])) as talk:
            await talk.ask(("take_mode", "plan"), ("update", update))
            assert (await talk.ask(("show", "mode"))).text == "calm"

    async def test_it_writes_where_it_may_only_read(self, tmp_path: Path) -> None:
        """Nobody can hold it back; what it wrote is told, so that it can be put back."""
        async with scene(tmp_path) as talk:
            output = await talk.ask(("edit", str(talk.project / "a.txt"), "x"), policy="read-only")
            assert output.wrote == ("a.txt",)
            assert talk.heard(PermissionResult) == []

    async def test_it_breaks_its_tools(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.ask(("say", "a"))
            (inbox,) = talk.folder.glob("*/inbox")
            shutil.rmtree(inbox)
            inbox.write_text("in the way")
            error = await failed(talk, ("say", "b"))
            assert (error.kind, "cannot be given its report tools" in str(error)) == ("protocol", True)

    async def test_it_takes_its_tools_away_in_a_turn(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.ask(("say", "a"))
            (inbox,) = talk.folder.glob("*/inbox")
            output = await talk.ask(("take_away", str(inbox)), ("say", "b"))
            assert (output.text, output.report) == ("b", None)
            assert (await talk.ask(("say", "c"))).text == "c"

    async def test_it_leaves_daemons_behind(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("daemon",), ("hang",)))
            await talk.until(lambda _: len(marked(talk.project)) == 7)  # itself, two shells, and two of each
            left = marked(talk.project)
            await talk.agent.close_agent(talk.id)
            assert [find_process(pid) for pid in left] == [None] * len(left)


class TestWhatItSends:
    ODD: ClassVar[list[str]] = [
        "garbage",
        "[1, 2]",
        "17",
        "null",
        '"text"',
        "{}",
        '{"jsonrpc": "2.0", "id": [1], "result": {}}',
        '{"jsonrpc": "2.0", "id": 1, "error": "bad"}',
        '{"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": 3}}',
        '{"jsonrpc": "2.0", "method": ["session/update"]}',
        "[" * 100_000,
        '{"a":' * 50_000,
        "\x00\x01\x02",
    ]

    @pytest.mark.parametrize("line", ODD, ids=range(len(ODD)))
    async def test_a_line_that_is_no_message_is_told_and_left(self, tmp_path: Path, line: str) -> None:
        async with scene(tmp_path) as talk:
            output = await talk.ask(("say", "a"), ("write_out", f"{line}\n"), ("say", "b"))
            assert output.text == "ab"
            (told,) = talk.troubles()
            assert "not a message" in told
            assert len(told) < 500

    async def test_answers_that_nobody_asked_for_change_nothing(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            strange = [{"id": id, "result": {"stopReason": "refusal"}} for id in (999, "a", None, -1)]
            output = await talk.ask(*(("send", message) for message in strange), ("say", "b"))
            assert output.text == "b"

    @pytest.mark.parametrize(
        "update",
        [
            {"sessionUpdate": "from_the_future", "x": 1},
            {"sessionUpdate": "agent_message_chunk"},
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 7}},
            {"sessionUpdate": "tool_call", "title": "no id"},
            {"no": "kind"},
        ],
    )
    async def test_an_update_that_can_not_be_understood_is_told_and_left(
        self, tmp_path: Path, update: dict[str, object]
    ) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("say", "a"), ("update", update), ("say", "b"))).text == "ab"
            (told,) = talk.troubles()
            assert "cannot be understood" in told

    async def test_what_another_session_says_is_left(self, tmp_path: Path) -> None:
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "theirs"}}
        other = {"method": "session/update", "params": {"sessionId": "another", "update": chunk}}
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("say", "a"), ("send", other), ("say", "b"))).text == "ab"

    async def test_unknown_notifications_are_told_but_for_extensions(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            ours = {"method": "future/thing", "params": {}}, {"method": "_agent/own", "params": {}}
            assert (await talk.ask(*(("send", message) for message in ours), ("say", "b"))).text == "b"
            (told,) = talk.troubles()
            assert "future/thing" in told

    @pytest.mark.parametrize(
        "method", ["fs/read_text_file", "terminal/create", "elicitation/create", "_x/y", "craft/thing"]
    )
    async def test_what_is_not_offered_is_not_found(self, tmp_path: Path, method: str) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("request", method, {"path": "/etc/passwd"}))).text == "<error -32601>"

    async def test_a_file_it_wants_us_to_write_is_not_written_by_us(self, tmp_path: Path) -> None:
        """opencode calls this though it is not offered, and writes by itself."""
        async with scene(tmp_path) as talk:
            path = talk.project / "a.txt"
            output = await talk.ask(("request", "fs/write_text_file", {"path": str(path), "content": "x"}))
            assert output.text == "<None>"
            assert not path.exists()

    @pytest.mark.parametrize(
        "params",
        [{}, {"toolCall": "x", "options": []}, {"toolCall": {"toolCallId": "a"}, "options": [{"kind": "odd"}]}],
    )
    async def test_a_request_that_can_not_be_understood_is_refused(
        self, tmp_path: Path, params: dict[str, object]
    ) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("request", "session/request_permission", params))).text == "<error -32602>"

    async def test_hidden_parts_of_a_request_change_no_argument(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            params = {
                "toolCall": {"toolCallId": "c", "kind": "edit", "title": "e"}, "options": [],
                "_meta": {"tool_call": 1, "options": 2, "self": 3, "session_id": 4},
            }  # fmt: skip
            assert (await talk.ask(("request", "session/request_permission", params))).text == "<cancelled>"

    async def test_half_lines_are_put_together(self, tmp_path: Path) -> None:
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "in parts"}}
        async with scene(tmp_path) as talk:
            await talk.ask(("say", ""))
            session = (await talk.look()).session
            whole = json.dumps({"method": "session/update", "params": {"sessionId": session, "update": update}})
            parts = [whole[at : at + 20] for at in range(0, len(whole), 20)]
            output = await talk.ask(*(("write_out", part, 0.01) for part in parts), ("write_out", "\n"))
            assert output.text == "in parts"

    async def test_half_characters_are_replaced(self, tmp_path: Path) -> None:
        """JavaScript cuts what it streams in the middle of an emoji."""
        async with scene(tmp_path) as talk:
            output = await talk.ask(("say", "a\ud83d"), ("say", "\ude00b"))
            assert output.text == "a\ufffd\ufffdb"
            output.text.encode()

    async def test_a_line_of_ten_megabytes(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            output = await talk.ask(("big", 10_000_000), ("say", "end"))
            assert (len(output.text), output.truncated, output.text[-4:]) == (TEXT_KEPT, True, "xend")
            assert sum(len(said.text) for said in talk.heard(AgentText)) <= 5_000_000

    async def test_a_line_without_end_is_an_error(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("big", 51_000_000)))
            with pytest.raises(AgentError, match="a line of more than 50,000,000 bytes") as raised:
                await talk.ended()
            assert raised.value.kind == "protocol"

    async def test_a_flood_of_garbage_is_bounded(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("write_out", "garbage\n" * 100_000), ("say", "end"))).text == "end"
            assert len(talk.troubles()) == 50

    async def test_a_flood_is_bounded_and_the_turn_ends(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            output = await talk.ask(("flood", 60_000), ("say", "end"))
            assert (len(output.text), output.truncated, output.text[-3:]) == (TEXT_KEPT, True, "end")
            assert len(talk.events) < 1000

    async def test_a_flood_of_tools_is_bounded(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.ask(("flood_of_tools", EVENTS_A_TURN + 100), ("say", "end"))
            assert len(talk.heard(ToolUse)) <= EVENTS_A_TURN
            assert any("the rest of this turn is dropped" in told for told in talk.troubles())
            await talk.ask(("flood_of_tools", 1))
            assert len(talk.heard(ToolUse)) <= EVENTS_A_TURN + 1

    async def test_a_flood_of_errors_fills_no_disk(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            await talk.begin(order(("flood_of_errors", 21_000_000), ("say", "a"), ("hang",)))
            await talk.until(lambda output: output.text == "a")
            (log,) = talk.folder.glob("*/stderr.log")
            await talk.until(lambda _: log.stat().st_size < 1000)

    async def test_a_storm_of_permissions_is_answered(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("storm", 1000, "read"))).text == "yes:1000"
            assert (await talk.ask(("storm", 1000, "edit"), policy="read-only")).text == "no:1000"

    async def test_a_storm_on_a_person_is_held_within_bounds(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            talk.person.says = None
            await talk.begin(order(("storm", 300, "edit"), policy="ask"))
            await talk.until(lambda output: output.asking)
            await talk.until(lambda _: len(talk.heard(PermissionResult)) == 200)
            assert len(talk.person.asked) == 100
            await cancelled(talk)
            assert talk.person.gone == 100

    async def test_an_open_permission_does_not_outlive_a_cancelled_turn(self, tmp_path: Path) -> None:
        """gemini waits for the answer before it ends the turn."""
        async with scene(tmp_path) as talk:
            talk.person.says = None
            call = {"toolCallId": "c", "kind": "edit", "title": "e"}
            await talk.begin(order(("stubborn",), ("ask", call), policy="ask"))
            await talk.until(lambda output: output.asking)
            output = await cancelled(talk)
            assert (output.text, output.asking, talk.person.gone) == ("<cancelled>", False, 1)

    async def test_in_a_cancelled_turn_nothing_is_permitted_any_more(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            call = {"toolCallId": "c", "kind": "read", "title": "r"}
            await talk.begin(order(("stubborn",), ("say", "a"), ("until_cancelled",), ("ask", call)))
            await talk.until(lambda output: output.text == "a")
            assert (await cancelled(talk)).text == "a<cancelled>"

    async def test_closing_while_a_person_is_asked(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            talk.person.says = None
            await talk.begin(order(("ask", {"toolCallId": "c", "kind": "edit", "title": "e"}), policy="ask"))
            await talk.until(lambda output: output.asking)
        assert talk.person.gone == 1


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            ({"code": -32000, "message": "Authentication required"}, "auth"),
            ({"code": -32603, "message": "Internal error", "data": {"details": "401 Incorrect API key"}}, "auth"),
            ({"code": 429, "message": "Resource exhausted"}, "rate_limit"),
            ({"code": 500, "message": "oops"}, "transient"),
            ({"code": -32602, "message": "Invalid params"}, "protocol"),
            ({"code": -32603, "message": "Internal error", "data": ["x", {"deep": None}]}, "transient"),
        ],
    )
    async def test_an_error_has_a_kind_and_the_session_lives(
        self, tmp_path: Path, error: dict[str, object], kind: AgentTrouble
    ) -> None:
        async with scene(tmp_path) as talk:
            assert (await failed(talk, ("result", {"error": error}))).kind == kind
            assert (await talk.ask(("say", "On."))).text == "On."

    async def test_a_used_up_plan_says_until_when(self, tmp_path: Path) -> None:
        words = "You've hit your usage limit. Upgrade, or try again at Jan 1st, 2100 12:00 AM."
        data = {"message": words, "codexErrorInfo": "usageLimitExceeded"}
        async with scene(tmp_path) as talk:
            error = await failed(
                talk, ("result", {"error": {"code": -32603, "message": "Internal error", "data": data}})
            )
            assert (error.kind, str(error)) == ("quota", f"misbehaving: {words}")
            assert error.until is not None
            assert error.until.replace(tzinfo=None) == datetime(2100, 1, 1)

    async def test_a_broken_thread_that_ends_as_if_it_were_done(self, tmp_path: Path) -> None:
        broken = {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": "systemError"}}}}
        async with scene(tmp_path) as talk:
            error = await failed(
                talk, ("say", "I begin."), ("say", "We are experiencing high demand.", None), ("update", broken)
            )
            assert (error.kind, str(error)) == ("transient", "misbehaving: We are experiencing high demand.")

    async def test_words_about_limits_are_words(self, tmp_path: Path) -> None:
        words = "429 Too Many Requests: usage limit reached, quota exceeded, try again at 5pm, 401 unauthorized"
        async with scene(tmp_path) as talk:
            output = await talk.ask(("say", words, None), ("think", words), ("stderr", words))
            assert output.text == words

    async def test_a_refusal(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            error = await failed(talk, ("say", "I will not."), ("result", {"stopReason": "refusal"}))
            assert (error.kind, "I will not." in str(error)) == ("refused", True)

    @pytest.mark.parametrize("result", [{"stopReason": "from the future"}, {"stopReason": None}])
    async def test_an_answer_that_can_not_be_understood(self, tmp_path: Path, result: dict[str, object]) -> None:
        async with scene(tmp_path) as talk:
            error = await failed(talk, ("result", result))
            assert (error.kind, "cannot be understood" in str(error)) == ("protocol", True)

    @pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests"])
    async def test_a_limit_of_its_own_is_told(self, tmp_path: Path, reason: str) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("say", "So far."), ("result", {"stopReason": reason}))).text == "So far."
            assert any("its limit of" in told for told in talk.troubles())


@pytest.mark.parametrize("steps", [[("hang",)], [("stubborn",), ("hang",)], [("daemon",), ("deaf",)]])
async def test_whoever_waits_is_cancelled_and_closes(tmp_path: Path, steps: list[tuple[object, ...]]) -> None:
    async with scene(tmp_path) as talk:

        async def turn() -> None:
            try:
                await talk.ended()
            finally:
                await talk.agent.close_agent(talk.id)

        await talk.begin(order(("say", "a"), *steps))
        await talk.until(lambda output: output.text != "")
        task = asyncio.ensure_future(turn())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert marked(talk.project) == []
