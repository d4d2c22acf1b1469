"""A person at a terminal: the real menu in a pseudo terminal, keys in, screen out."""

import os
import pty
import re
import select
import sys
import time

from tests.cli.conftest import DONE, SLOW, Desk, planned, said

ENTER, DOWN, UP, CTRL_C = "\r", "\x1b[B", "\x1b[A", "\x03"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """A command on a terminal of its own, 100 by 40."""

    def __init__(self, desk: Desk, *arguments: str, **env: str) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:  # the child
            size = {"COLUMNS": "100", "LINES": "40", "PROMPT_TOOLKIT_NO_CPR": "1"}
            os.chdir(desk.project)
            os.execve(sys.executable, [sys.executable, "-m", "loopwright", *arguments], {**desk.env, **size, **env})
        self.raw = ""
        self._seen = 0
        self._ended = False

    def wait_for(self, words: str) -> None:
        """Reads until the words appear after what was waited for last."""
        deadline = time.monotonic() + 30
        while (at := self.raw.find(words, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{words!r} did not appear in {self.text[-2000:]}"
            assert self._read(0.5) or not self._ended, f"ended before {words!r}: {self.text[-2000:]}"
        self._seen = at + len(words)

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self._fd, key.encode())

    def end(self) -> int:
        """Reads to the end and returns the exit code."""
        while not self._ended:
            self._read(5)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(status)

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.raw)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux says EIO when the other end has gone
            data = b""
        self.raw += data.decode(errors="replace")
        self._ended = not data
        return bool(data)


def test_status_develop_and_exit(desk: Desk) -> None:
    agent = desk.script(planned("Look"), DONE)
    terminal = Terminal(desk, "run", "Look around", "--agent", agent)
    terminal.wait_for("write the summary")
    assert "» develop   do the next task" in terminal.text, "the table's answer is preselected"
    assert "debug (no failing test and no failed task)" in terminal.text
    terminal.press(DOWN, DOWN, ENTER)  # debug is skipped: status
    terminal.wait_for("Tasks")
    terminal.wait_for("write the summary")
    terminal.press(ENTER)
    terminal.wait_for("develop (no task is ready")
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, ENTER)
    code = terminal.end()
    assert "? What next?" in terminal.text
    assert code in (1, 3)


def test_a_task_is_added_from_the_menu_and_done(desk: Desk) -> None:
    agent = desk.script(planned("Look"), DONE)
    terminal = Terminal(desk, "run", "Look around", "--agent", agent)
    terminal.wait_for("the loop can be resumed")
    assert "add       add a task" in terminal.text
    terminal.press(ENTER)  # the planned task
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, UP, UP, ENTER)  # exit, complete, add
    terminal.wait_for("What should be done?")
    terminal.press(ENTER)  # a change of mind
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, UP, UP, ENTER)
    terminal.wait_for("What should be done?")
    terminal.press("Say hello", ENTER)
    terminal.wait_for("Who does it?")
    terminal.wait_for("bash")
    terminal.press(UP, ENTER)  # the last of them
    terminal.wait_for("Which command?")
    terminal.press("echo hello > hello.txt", ENTER)
    terminal.wait_for("the loop can be resumed")
    terminal.press(ENTER)  # develop is preselected now
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, ENTER)
    assert terminal.end() == 3
    assert (desk.project / "hello.txt").read_text() == "hello\n"
    loop_id = desk.run("list", "--json").lines[0]["data"][0]["loop_id"]  # type: ignore[index]  # parsed JSON
    assert "added, from the menu" in desk.run("logs", str(loop_id), "events").out


def test_leaving_can_be_resumed(desk: Desk) -> None:
    terminal = Terminal(desk, "run", "Look around", "--agent", desk.script(planned("Look"), DONE))
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, ENTER)  # from the first entry round to the last
    assert terminal.end() == 3
    assert "Left by choice" in terminal.text
    assert "user_exit" in desk.run("list").out


def test_a_question_is_asked_with_its_options(desk: Desk) -> None:
    asks = {"text": said("DEVELOP", "needs_input", "Up or down?", "- options: up | down")}
    terminal = Terminal(desk, "run", "Look around", "--agent", desk.script(planned("Look"), asks, DONE))
    terminal.wait_for("the loop can be resumed")
    terminal.press(ENTER)
    terminal.wait_for("Up or down?")
    terminal.wait_for("down")
    terminal.press(DOWN, ENTER)
    terminal.wait_for("the loop can be resumed")
    terminal.press(UP, ENTER)
    assert terminal.end() == 3
    assert "Up or down? down" in terminal.text


def test_ctrl_c_at_the_menu(desk: Desk) -> None:
    terminal = Terminal(desk, "run", "Look around", "--agent", desk.script(planned("Look")))
    terminal.wait_for("the loop can be resumed")
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert "continue with: loopwright run --loop-id" in terminal.text


def test_ctrl_c_during_an_action(desk: Desk) -> None:
    terminal = Terminal(desk, "run", "Look around", "--auto", "--agent", desk.script(*SLOW))
    terminal.wait_for("DEVELOP (task 1/1)")
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert "\x1b[?25h" in terminal.raw, "the cursor is shown again"


def test_no_color_means_plain_lines_on_a_terminal_too(desk: Desk) -> None:
    agent = desk.script(planned("Look"), DONE)
    terminal = Terminal(desk, "run", "x", "--auto", "--agent", agent, "--max-iterations", "1", NO_COLOR="1")
    assert terminal.end() == 1
    assert "\x1b" not in terminal.raw
    assert "DEVELOP: completed" in terminal.raw


def test_deleting_asks(desk: Desk) -> None:
    loop_id = desk.create("--agent", "bash")
    for key, left in (("n\r", True), ("y\r", False)):
        terminal = Terminal(desk, "delete", loop_id)
        terminal.wait_for("[y/N]")
        terminal.press(key)
        assert terminal.end() == 0
        assert (loop_id in desk.run("list").out) is left
