"""The mailbox: what a turn reported, whatever else stands in its folder."""

import asyncio
import json
import os
import stat
from pathlib import Path

import pytest

from loopwright.agents.report_inbox import ReportInbox
from loopwright.agents.report_spool import FULL, MOST_LETTERS, ReportSpool, SpooledCall
from loopwright.core.cycle_names import StepName
from loopwright.core.errors import Invalid
from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport, Message
from loopwright.surfaces.mcp.report import keep_call


class Desk:
    """A mailbox, and the tools that an agent calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mailbox = ReportInbox(folder)

    def turn(self, action: ActionName | StepName) -> None:
        self.mailbox.open(Message(action=action, text=""))

    def call(self, tool: str, **arguments: object) -> str:
        return keep_call(ReportSpool(self.folder), tool, arguments)  # type: ignore[arg-type]  # JSON values, as tests write them

    def result(self, action: str, message: str = "done", status: str = "success") -> None:
        self.call("report_action_result", action=action, status=status, message=message)

    @property
    def letters(self) -> Path:
        return self.folder / "reports.ndjson"

    def forge(self, *lines: bytes) -> None:
        with self.letters.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "loop" / "mailbox")


def tasks(report: ActionReport | None) -> list[str]:
    assert report is not None
    return [task["description"] for task in report.state_updates["tasks"]]


def test_a_turn_that_reports(desk: Desk) -> None:
    desk.turn("INIT")
    assert desk.mailbox.report() is None
    desk.call("propose_tasks", tasks=["a", "b"])
    assert desk.mailbox.report() is None
    desk.result("INIT", "first")
    desk.result("INIT", "last")
    report = desk.mailbox.report()
    assert report is not None
    assert (report.action, report.status, report.message) == ("INIT", "success", "last")
    assert tasks(report) == ["a", "b"]


def test_what_was_reported_before_counts_no_more(desk: Desk) -> None:
    desk.turn("DEVELOP")
    desk.result("DEVELOP")
    assert desk.mailbox.report() is not None
    desk.turn("DEVELOP")
    assert desk.mailbox.report() is None


def test_proposals_of_a_turn_without_a_report_wait_for_the_one_that_asks_again(desk: Desk) -> None:
    desk.turn("INIT")
    desk.call("propose_tasks", tasks=["a"])
    assert desk.mailbox.merged(None) is None
    desk.turn("INIT")
    assert tasks(desk.mailbox.merged(ActionReport(action="INIT", status="success"))) == ["a"]
    desk.turn("INIT")
    assert desk.mailbox.merged(ActionReport(action="INIT", status="success")) == ActionReport(
        action="INIT", status="success"
    )


def test_proposals_that_are_made_anew_replace_those_that_wait(desk: Desk) -> None:
    desk.turn("INIT")
    desk.call("propose_tasks", tasks=["a"])
    desk.turn("INIT")
    desk.call("propose_tasks", tasks=["b"])
    desk.result("INIT")
    assert tasks(desk.mailbox.report()) == ["b"]


def test_proposals_of_another_action_do_not_wait(desk: Desk) -> None:
    desk.turn("DEBUG")
    desk.call("propose_hypotheses", hypotheses=["a"])
    desk.turn("DEVELOP")
    desk.result("DEVELOP")
    report = desk.mailbox.report()
    assert report is not None
    assert report.state_updates == {}


def test_each_discovery_is_given_once(desk: Desk) -> None:
    desk.turn("DEVELOP")
    desk.call("report_discovery", title="a", text="x")
    assert [(d.title, d.text) for d in desk.mailbox.discoveries()] == [("a", "x")]
    assert desk.mailbox.discoveries() == ()
    desk.call("report_discovery", title="b")
    desk.turn("DEBUG")
    desk.call("report_discovery", title="c")
    assert [d.title for d in desk.mailbox.discoveries()] == ["b", "c"]
    assert desk.mailbox.discoveries() == ()


def test_what_no_order_asked_for_is_kept_for_people(desk: Desk) -> None:
    """A session lists its tools once, so a turn refuses none of them."""
    desk.turn("DEVELOP")
    desk.call("propose_tasks", tasks=["a", "b"])
    desk.call("propose_hypotheses", hypotheses=["c"])
    desk.result("DEVELOP")
    kept = [(found.title, found.text) for found in desk.mailbox.discoveries()]
    assert kept == [("Proposed work", "a\nb"), ("Suspected cause", "c")]
    report = desk.mailbox.report()
    assert report is not None
    assert report.state_updates == {}
    desk.turn("INIT")
    desk.call("propose_tasks", tasks=["a"])
    assert desk.mailbox.discoveries() == ()


class TestStepOfACycle:
    def test_it_reports_through_its_own_tools(self, desk: Desk) -> None:
        desk.turn("ra.analyse")
        with pytest.raises(Invalid, match="No tool is named 'report_action_result'"):
            desk.result("ra.analyse")
        desk.call("report_phase_result", phase="ra", status="partial", summary="half", issues=["one"])
        assert desk.mailbox.report() == ActionReport(
            action="ra.analyse", status="partial", message="half", state_updates={"issues": ["one"]}
        )
        desk.turn("ra.analyse")
        assert desk.mailbox.report() is None

    def test_a_result_of_another_step_is_not_taken(self, desk: Desk) -> None:
        desk.turn("ep.explore")
        with pytest.raises(Invalid, match=r"your order is ep\.explore"):
            desk.call("report_phase_result", phase="ep.plan", status="success", summary="x")
        desk.forge(
            b'{"turn": 1, "tool": "report_phase_result", "arguments": {"phase": "vas", "status": "success",'
            b' "summary": "x"}}'
        )
        assert desk.mailbox.report() is None

    def test_findings_are_for_the_board(self, desk: Desk) -> None:
        desk.turn("ep.explore")
        desk.call("report_discovery", type="utility", data={"name": "n", "file": "f", "usage": "u"})
        with pytest.raises(Invalid, match="usage is missing"):
            desk.call("report_discovery", type="utility", data={"name": "n", "file": "f"})
        (found,) = desk.mailbox.discoveries()
        assert (found.type, found.data) == ("utility", {"name": "n", "file": "f", "usage": "u"})
        assert found.title == "utility: name: n, file: f, usage: u"
        desk.call("report_discovery", type="test_command", data={"unit": "make"})
        desk.turn("ep.plan")
        assert [each.type for each in desk.mailbox.discoveries()] == ["test_command"]
        assert desk.mailbox.discoveries() == ()


def test_a_new_mailbox_on_an_old_folder_begins_anew(desk: Desk) -> None:
    desk.turn("INIT")
    desk.result("INIT")
    again = Desk(desk.folder)
    again.turn("INIT")
    assert again.mailbox.report() is None


async def test_it_can_be_waited_for_that_the_agent_knows_the_tools(desk: Desk) -> None:
    desk.turn("INIT")
    assert not await desk.mailbox.until_known(0)
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(desk.mailbox.until_known(60))
        await asyncio.sleep(0)
        assert not waiting.done()
        ReportSpool(desk.folder).know()
    assert waiting.result()


def test_only_its_owner_may_look(desk: Desk) -> None:
    desk.turn("INIT")
    desk.result("INIT")
    assert stat.S_IMODE(desk.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in desk.folder.iterdir()} == {0o600}


class TestHostileFolder:
    """The agent runs as the same user, and can write there what it likes."""

    @pytest.mark.parametrize(
        "line",
        [
            b"", b"\xff\xfe", b"{", b"[]", b"null", b'"x"', b"{}", b"\x00" * 1000, b"[" * 100_000,
            b'{"turn": 1, "tool": "report_action_result", "arguments": []}',
            b'{"turn": "1", "tool": "report_action_result", "arguments": {}}',
            b'{"turn": 1, "tool": "report_action_result", "arguments": {"action": "DEVELOP", "status": "won"}}',
            b'{"turn": 1, "tool": "propose_tasks", "arguments": {"tasks": ["a"]}}',
            b'{"turn": 1, "tool": "rm", "arguments": {}}',
            b'{"turn": 9, "tool": "report_action_result", "arguments": {"action": "DEVELOP", "status": "failed",'
            b' "message": "x"}}',
        ],
        ids=range(15),
    )  # fmt: skip
    def test_what_is_no_letter_is_left_out(self, desk: Desk, line: bytes) -> None:
        desk.turn("DEVELOP")
        desk.forge(line)
        assert desk.mailbox.report() is None
        desk.result("DEVELOP")
        desk.forge(line)
        report = desk.mailbox.report()
        assert report == ActionReport(action="DEVELOP", status="success", message="done")

    def test_a_letter_behind_a_torn_one_is_whole(self, desk: Desk) -> None:
        desk.turn("DEVELOP")
        desk.letters.write_bytes(b'{"turn": 1, "tool": "report_action_re')
        desk.result("DEVELOP")
        assert desk.mailbox.report() is not None

    @pytest.mark.timeout(20)
    def test_a_hundred_megabytes_are_read_in_part(self, desk: Desk) -> None:
        desk.turn("DEVELOP")
        with desk.letters.open("wb") as file:
            file.truncate(100_000_000)
        assert desk.mailbox.report() is None
        assert "put the rest in your answer" in refusal(desk)
        desk.turn("DEVELOP")
        desk.result("DEVELOP")
        assert desk.mailbox.report() is not None

    @pytest.mark.timeout(20)
    def test_a_flood_of_letters(self, desk: Desk) -> None:
        desk.turn("DEVELOP")
        letter = SpooledCall(turn=1, tool="report_discovery", arguments={"title": "x"}).model_dump_json().encode()
        desk.forge(*[letter] * (2 * FULL // len(letter)))
        assert len(desk.mailbox.discoveries()) == MOST_LETTERS - 1  # the last one that was read is cut
        desk.turn("DEVELOP")
        assert desk.mailbox.discoveries() == ()

    @pytest.mark.timeout(20)
    @pytest.mark.parametrize("name", ["reports.ndjson", "order.json"])
    @pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling"])
    def test_something_else_in_place_of_a_file(self, desk: Desk, tmp_path: Path, name: str, kind: str) -> None:
        desk.turn("DEVELOP")
        place = desk.folder / name
        place.unlink(missing_ok=True)
        other = tmp_path / "other"
        other.write_text("precious")
        match kind:
            case "folder":
                (place / "inner").mkdir(parents=True)
            case "pipe":
                os.mkfifo(place)
            case "link":
                place.symlink_to(other)
            case _:
                place.symlink_to(tmp_path / "nowhere")
        assert desk.mailbox.report() is None
        assert refusal(desk)
        desk.turn("DEVELOP")
        desk.result("DEVELOP")
        assert desk.mailbox.report() is not None
        assert other.read_text() == "precious"
        assert not (tmp_path / "nowhere").exists()

    def test_a_forged_order_misleads_nobody_but_its_forger(self, desk: Desk) -> None:
        desk.turn("DEVELOP")
        (desk.folder / "order.json").write_text(json.dumps({"turn": 1, "action": "INIT"}))
        desk.call("propose_tasks", tasks=["a"])
        desk.result("INIT")
        assert desk.mailbox.report() is None

    def test_a_folder_that_vanishes(self, desk: Desk) -> None:
        desk.turn("DEVELOP")
        for path in desk.folder.iterdir():
            path.unlink()
        desk.folder.rmdir()
        assert desk.mailbox.report() is None
        assert desk.mailbox.discoveries() == ()
        assert "There is no order to report on here" in refusal(desk)
        desk.turn("DEVELOP")
        desk.result("DEVELOP")
        assert desk.mailbox.report() is not None


def refusal(desk: Desk) -> str:
    """What the agent is told of a report that is not taken; empty where it is."""
    try:
        desk.result("DEVELOP")
    except Invalid as error:
        return str(error)
    return ""
