"""The text that Rust's test harness prints for people, read strictly: its own counts have to agree with its lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from loopwright.domain.loop import TestResult, TestStatus
from loopwright.validation.results import failure, plain

RUNNING = re.compile(r"^running (\d{1,9}) tests?$")
_RESULT = re.compile(
    r"^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; "
)
_NAME = r"test (?P<name>\S(?:(?! \.\.\. ).)*?)(?: - should panic| - compile| - compile fail)? \.\.\. "
_END = r"(?P<end>ok|FAILED|ignored|bench:)(?:(?<=ignored), .*|(?<=bench:) .*| <[\d.]+s>)?"
_WHOLE = re.compile(f"^{_NAME}{_END}$")
_OPEN = re.compile(f"^{_NAME}")
_BEHIND_NOISE = re.compile(rf"^.+?test (?P<name>\S+)(?: - should panic)? \.\.\. {_END}$")
_OPEN_BEHIND_NOISE = re.compile(r"^.+?test (?P<name>\S+)(?: - should panic)? \.\.\. ")
_ALONE = re.compile(f"^{_END}$")
_SECTION = re.compile(r"^---- (.+?) (?:stdout|stderr) ----$")
_LINE_NUMBER = re.compile(r" \(line (\d{1,9})\)")
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at ")
_STATUS: dict[str, TestStatus] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped", "bench:": "passed"}


@dataclass
class Block:
    """One `running N tests`; `closed`: a `test result` agreed with it; `contradicted`: there was one that did not."""

    expected: int
    tests: list[tuple[str, TestStatus | None]] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    closed: bool = False
    contradicted: bool = False

    @property
    def open_names(self) -> list[str]:
        return [name for name, status in self.tests if status is None]

    def results(self, suite: str) -> list[TestResult]:
        """What has ended, in one order for every run, however many threads there were.

        Line numbers of documentation tests are left out of their names: they move with every edit.
        """
        found = []
        for raw, status in sorted(self.tests, key=lambda test: (name_of(test[0]), _line(test[0]))):
            name = name_of(raw)
            if status == "failed":
                text = "\n".join(self.said.get(raw, ()))
                found.append(failure(suite, name, _message(text), trace=text))
            elif status is not None:
                found.append(TestResult(test_name=name, suite=suite, status=status))
        return found


def name_of(raw: str) -> str:
    return plain(_LINE_NUMBER.sub("", raw))


def _line(raw: str) -> int:
    found = _LINE_NUMBER.search(raw)
    return int(found.group(1)) if found else 0


def read_block(lines: Sequence[str], at: int, ends: re.Pattern[str]) -> tuple[Block, int]:
    """The block that begins with the line `at`, and the line after it. It ends early where a line matches `ends`."""
    start = RUNNING.match(lines[at])
    block = Block(int(start.group(1)) if start else 0)
    at += 1
    while at < len(lines) and not ends.match(line := lines[at]):
        if (counts := _RESULT.match(line)) is not None:
            block.closed = _agrees(block, [int(count) for count in counts.groups()], _listed(lines, at))
            block.contradicted = not block.closed
            if block.closed:
                return block, at + 1
        elif line == "" and len(block.tests) >= block.expected and not block.open_names:
            return _to_the_end(block, lines, at, ends)
        else:
            _take(block, line)
        at += 1
    return block, at


def _to_the_end(block: Block, lines: Sequence[str], at: int, ends: re.Pattern[str]) -> tuple[Block, int]:
    """All tests are known: what follows is what they printed, and the list of those that failed."""
    failed = {name for name, status in block.tests if status == "failed"}
    current: list[str] = []
    while at < len(lines) and not ends.match(lines[at]):
        line = lines[at]
        counts, section = _RESULT.match(line), _SECTION.match(line)
        if counts is not None and _agrees(block, [int(count) for count in counts.groups()], _listed(lines, at)):
            block.closed = True
            return block, at + 1
        block.contradicted = block.contradicted or counts is not None
        if section is not None and section.group(1) in failed:
            current = block.said.setdefault(section.group(1), [])
        elif line == "failures:":
            current = []
        else:
            current.append(line)
        at += 1
    return block, at


def _take(block: Block, line: str) -> None:
    """One line while tests run. Without capture, what tests print may stand before a line, behind it, or in it."""
    found = _WHOLE.match(line) or _OPEN.match(line) or _BEHIND_NOISE.match(line) or _OPEN_BEHIND_NOISE.match(line)
    if found is not None:
        end = found.groupdict().get("end")
        block.tests.append((found["name"], None if end is None else _STATUS[end]))
    elif (alone := _ALONE.match(line)) is not None and len(names := block.open_names) == 1:
        block.tests[block.tests.index((names[0], None))] = (names[0], _STATUS[alone["end"]])


def _agrees(block: Block, counts: Sequence[int], listed: Sequence[str]) -> bool:
    """Whether the counts are those of the lines; tests whose end was lost in noise get what is left for them."""
    if not len(block.tests) == block.expected == sum(counts):
        return False
    passed, failed, ignored, measured = counts
    settled = [(name, status or ("failed" if name in listed else "passed")) for name, status in block.tests]
    have = [status for _, status in settled]
    if (have.count("passed"), have.count("failed"), have.count("skipped")) != (passed + measured, failed, ignored):
        return False
    if sorted(name for name, status in settled if status == "failed") != sorted(listed):
        return False
    block.tests = list(settled)
    return True


def _listed(lines: Sequence[str], at: int) -> list[str]:
    """The names in the list of failures above the line `at`."""
    names: list[str] = []
    above = at - 2 if at >= 2 and lines[at - 1] == "" else at
    while above >= 0 and lines[above].startswith("    "):
        names.append(lines[above][4:])
        above -= 1
    return names if above >= 0 and lines[above] == "failures:" else []


def _message(text: str) -> str:
    """The panic without its backtrace, or all that was said."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if _PANIC.match(line)), None)
    if first is None:
        return text
    rest = lines[first:]
    last = next((n for n, line in enumerate(rest) if line == "stack backtrace:" or line.startswith("note: ")), None)
    return "\n".join(rest[:last])
