"""The debugger's tools as an agent at work has them: the real server over stdio, the real worker."""

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from loopwright.agents.report_inbox import ReportInbox
from loopwright.core.protocol import Message
from loopwright.core.state import Policy
from loopwright.evidence.debugging import DebugRequest
from loopwright.reports.tools import TOOLS
from loopwright.surfaces.mcp.debugging import DEBUG_TOOLS
from mcp import ClientSession, StdioServerParameters
from tests.domain.test_suspects import suspect
from tests.repair.cases import write
from tests.repair.test_look import COMPARED, FAILING, SHOP, TESTS, files
from tests.waiting import soon

Told = dict[str, Any]  # Any: parsed JSON

PLACE = f"shop.py:{COMPARED}"


class Turn:
    """An agent's turn in a loop on the shop: its mailbox, its session with the server, and the loop's folder."""

    def __init__(self, folder: Path) -> None:
        self.project, self.progress, self.mailbox = (
            folder / "shop",
            folder / "progress",
            ReportInbox(folder / "mailbox"),
        )
        self.progress.mkdir()
        write({"shop.py": SHOP, "test_shop.py": TESTS}, self.project)

    def order(self, policy: Policy = "workspace", **more: object) -> None:
        given = {
            "project": str(self.project), "python": sys.executable, "test_command": "python -m pytest",
            "failing": (FAILING,), "loop": "loop-v2-1", "log": str(self.progress / "debug.log"),
            "hypotheses": (suspect(4, "if member and total > LIMIT:", line=COMPARED),),
        }  # fmt: skip
        debug = DebugRequest.model_validate({**given, **more})
        self.mailbox.open(Message(action="DEBUG", text="", debug=debug, policy=policy))

    @asynccontextmanager
    async def begun(self) -> AsyncIterator["Turn"]:
        server = self.mailbox.server
        parameters = StdioServerParameters(
            command=server.command, args=list(server.args), cwd=self.project, env=dict(server.environment)
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as self.session:
            self.greeted = await self.session.initialize()
            yield self

    async def call(self, tool: str, /, **arguments: object) -> Told:
        """The typed answer; the client checks it against the tool's schema."""
        return (await self.both(tool, **arguments))[0]

    async def text(self, tool: str, /, **arguments: object) -> str:
        return (await self.both(tool, **arguments))[1]

    async def both(self, tool: str, /, **arguments: object) -> tuple[Told, str]:
        result = await self.session.call_tool(tool, arguments)
        (told,) = result.content
        assert isinstance(told, TextContent)
        assert not result.is_error, told.text
        found: Told = result.structured_content
        return found, told.text

    async def refused(self, tool: str, /, **arguments: object) -> str:
        result = await self.session.call_tool(tool, arguments)
        (told,) = result.content
        assert isinstance(told, TextContent)
        assert result.is_error, told.text
        return told.text

    @property
    def log(self) -> list[Told]:
        path = self.progress / "debug.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def turn(tmp_path: Path) -> Turn:
    return Turn(tmp_path)


async def test_an_agent_finds_a_cause_with_them_and_nothing_is_changed(turn: Turn) -> None:
    before = files(turn.project)
    turn.order()
    async with turn.begun():
        listed = {tool.name: tool for tool in (await turn.session.list_tools()).tools}
        assert listed.keys() == {*TOOLS, *DEBUG_TOOLS}
        assert "propose_fix" in (turn.greeted.instructions or "")
        for name in DEBUG_TOOLS:
            schemas = json.dumps([listed[name].input_schema, listed[name].output_schema])
            assert not any(word in schemas for word in ("$ref", "$defs", '"title": "'))
            assert "anyOf" not in json.dumps(listed[name].input_schema)
            assert listed[name].output_schema

        seen = await turn.call("probe", place=PLACE, expressions=["total > LIMIT", "len(self.items)"])
        (test,) = seen["tests"]
        assert [hit["data"] for hit in test["hits"]] == [{"total > LIMIT": "False", "len(self.items)": "2"}]
        (line,) = turn.log
        assert line == test["hits"][0]
        assert line.keys() == {"hid", "ts", "func", "line", "data"}
        assert (line["hid"], line["func"], line["line"]) == ("H4", "Cart.total", COMPARED)

        fix = await turn.call("propose_fix", seconds=30)
        assert fix["applied"] is False
        assert "+        if member and total >= LIMIT:" in fix["patch"]["diff"]
        assert fix["patch"]["fixes"] == [FAILING]
        measured, *compared, applied = fix["words"].split("; ")
        assert measured == (
            "measured on a copy of the project: every failing test passes with it, and none that passed is broken"
        )
        assert " edits" in compared[0], "how it compares with the other edits that pass"
        assert applied == "nothing was applied"
        report = {"action": "DEBUG", "status": "success", "message": "found"}
        assert not (await turn.session.call_tool("report_action_result", report)).is_error
    assert files(turn.project) == before
    assert turn.mailbox.report() is not None


async def test_the_answers_are_told_in_words_and_typed(turn: Turn) -> None:
    turn.order()
    async with turn.begun():
        ran, words = await turn.both("run_failing_tests")
        assert [(test["test"], test["status"]) for test in ran["tests"]] == [(FAILING, "failed")]
        assert "assert 100 == 90" in ran["tests"][0]["message"]
        assert "\n    assert 100 == 90\n" in words

        ranked, words = await turn.both("spectrum", limit=200)
        assert [one["rank"] for one in ranked["statements"]][:4] == [1, 2, 3, 4]
        assert {"file", "line", "code", "failing", "passing", "score"} <= ranked["statements"][0].keys()
        told = words.splitlines()
        assert told[0].endswith("1 failing test, 3 passing ones")
        assert any(line.endswith("        1        2  shop.py:19 in Cart.total: return total") for line in told)

        seen = await turn.text("probe", place=str(turn.project / PLACE), expressions=["total"])
        assert seen.splitlines()[1:] == [f"failed: {FAILING}: reached 1 time", "  1: total = 100"]


@pytest.mark.parametrize("policy", ["read-only", "ask"])
async def test_who_may_not_run_commands_only_looks(turn: Turn, policy: Policy) -> None:
    turn.order(policy)
    async with turn.begun():
        words = await turn.refused("probe", place=PLACE, expressions=["total", "open('x', 'w')"])
        assert words.startswith(f"expressions: \"open('x', 'w')\" has a call of open; with permissions {policy} an")
        assert (await turn.call("probe", place=PLACE, expressions=["len(self.items)"]))["tests"][0]["reached"] == 1


WRONG: list[tuple[str, dict[str, object], str]] = [
    ("probe", {}, "place is missing: The line, as file:line"),
    ("probe", {"place": "shop.py"}, "expected file:line or file:function:line"),
    ("probe", {"place": "../x.py:1"}, "is not in the project"),
    ("probe", {"place": PLACE, "expression": "x"}, "unknown argument; available: place, expressions"),
    ("probe", {"place": PLACE, "expressions": ["x"] * 9}, "expressions: "),
    ("probe", {"place": PLACE, "expressions": ["x" * 501]}, "at most 500 are accepted"),
    ("probe", {"place": PLACE, "hits": 0}, "hits: "),
    ("probe", {"place": "shop.py:5"}, "nothing runs at line 5 of shop.py (the nearest that do: "),
    ("probe", {"place": PLACE, "tests": ["test_nope"]}, "tests: none is called 'test_nope'; the first of 5 is"),
    ("run_failing_tests", {"tests": ["a"] * 51}, "tests: "),
    ("spectrum", {"limit": 1000}, "limit: "),
    ("propose_fix", {"seconds": 9_999}, "seconds: "),
]


async def test_what_is_wrong_is_told_with_what_would_be_right(turn: Turn) -> None:
    turn.order()
    async with turn.begun():
        for tool, arguments, words in WRONG:
            assert words in await turn.refused(tool, **arguments), (tool, arguments)
    assert turn.log == []


async def test_one_search_at_a_time(turn: Turn, tmp_path: Path) -> None:
    """Whoever asks: another session of the same loop is refused, too."""
    turn.order()
    second = copy(turn)
    second.mailbox = ReportInbox(tmp_path / "second")
    second.order()
    async with turn.begun(), second.begun():
        asked = (each.session.call_tool("propose_fix", {"seconds": 3}) for each in (turn, second))
        searches = [asyncio.ensure_future(each) for each in asked]
        done, pending = await asyncio.wait(searches, return_when=asyncio.FIRST_COMPLETED)
        (refused,) = (each.result() for each in done)
        assert refused.is_error
        assert "a search is already running here" in str(refused.content)
        assert not (await pending.pop()).is_error
        assert (await second.call("propose_fix", seconds=1))["applied"] is False, "it is free again"


async def test_tests_that_it_can_not_work_with_are_told(turn: Turn) -> None:
    turn.order()
    async with turn.begun():
        turn.order(test_command="")
        assert "no tests are known here yet" in await turn.refused("spectrum")
        turn.order(test_command="npm test")
        assert "not 'npm test': run the tests and read the code yourself" in await turn.refused("run_failing_tests")
        turn.mailbox.open(Message(action="DEVELOP", text=""))
        assert "There is nothing to debug in this order" in await turn.refused("propose_fix")


async def test_a_session_without_python_tests_is_not_offered_them(turn: Turn) -> None:
    turn.mailbox.open(Message(action="DEVELOP", text=""))
    async with turn.begun():
        assert {tool.name for tool in (await turn.session.list_tools()).tools} == TOOLS.keys()
        assert "There is nothing to debug" in await turn.refused("spectrum")


Spoil = Callable[[Turn], object]
SPOILT: list[tuple[Spoil, str]] = [
    (lambda turn: turn.mailbox._folder.joinpath("ground.json").write_text("{"), "can no longer be read"),
    (lambda turn: turn.mailbox._folder.joinpath("ground.json").unlink(), "There is nothing to debug"),
]


@pytest.mark.parametrize(("spoil", "words"), SPOILT)
async def test_what_the_engine_left_may_be_spoilt(turn: Turn, spoil: Spoil, words: str) -> None:
    turn.order()
    async with turn.begun():
        spoil(turn)
        assert words in await turn.refused("run_failing_tests")


async def test_a_loop_whose_folder_is_gone_is_no_hindrance(turn: Turn) -> None:
    turn.progress.rmdir()
    turn.order()
    async with turn.begun():
        assert (await turn.call("probe", place=PLACE))["tests"][0]["reached"] == 1
        assert (await turn.call("propose_fix", seconds=1))["applied"] is False
        shutil.rmtree(turn.project)
        assert "This could not be done: " in await turn.refused("run_failing_tests")


async def test_a_log_that_can_not_be_written_keeps_nothing_from_being_told(turn: Turn, tmp_path: Path) -> None:
    """A link in its place is not followed."""
    target = tmp_path / "elsewhere"
    (turn.progress / "debug.log").symlink_to(target)
    turn.order()
    async with turn.begun():
        assert (await turn.call("probe", place=PLACE))["tests"][0]["reached"] == 1
    assert not target.exists()


async def test_a_search_tells_how_far_it_is_and_nothing_of_it_stays_when_the_agent_goes(turn: Turn) -> None:
    (turn.project / "test_shop.py").write_text(TESTS.replace("import pytest", "import pytest, time\ntime.sleep(30)"))
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    turn.order()
    async with turn.begun():
        asked = turn.session.call_tool("propose_fix", {"seconds": 60}, progress_callback=hear)
        search = asyncio.ensure_future(asked)
        await soon(lambda: bool(_workers()) and bool(heard))
        search.cancel()
    await soon(lambda: not _workers())
    ((progress, total, message), *_) = heard
    assert (0 < progress < 60, total, message) == (True, 60, "running the tests, traced")


def _workers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"LOOPWRIGHT_LOOP=loop-v2-1\0" in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found
