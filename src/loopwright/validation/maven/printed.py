"""What Maven says beside its reports: what could not be compiled, and how many tests there were."""

import re
from collections.abc import Iterator
from pathlib import Path

from loopwright.domain.loop import TestResult
from loopwright.domain.testing import BUILD
from loopwright.validation.maven.project import module_of, suite_of
from loopwright.validation.results import failure

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LEVEL = re.compile(r"^\[(?:INFO|WARNING|ERROR)\] ?")
_COMPILER = re.compile(r"^\[ERROR\] COMPILATION ERROR ?:.*$")
_PLACE = re.compile(r"^(?P<file>/.*\.(?:java|kt|groovy|scala)):\[\d+")
_TOTAL = re.compile(
    r"^\[(?:INFO|WARNING|ERROR)\] Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: \d+\s*$"
)
_NO_TESTS = re.compile(r"No tests (?:to run|were executed)")
_TEST_CLASS = re.compile(r"(?:Test|IT).*|.*(?:Tests?|TestCase|IT|ITCase)")
_OF_TESTS = re.compile(r"src/test/\w+/(.+)\.\w+$")


def lines_of(output: str) -> list[str]:
    return _COLOUR.sub("", output).replace("\r\n", "\n").split("\n")


def counted(lines: list[str]) -> tuple[int, int]:
    """Tests that ran, and those of them that failed, by Maven's own summaries."""
    totals = [found for line in lines if (found := _TOTAL.match(line)) is not None]
    return (
        sum(int(total.group(1)) for total in totals),
        sum(int(total.group(2)) + int(total.group(3)) for total in totals),
    )


def had_none(lines: list[str]) -> bool:
    return any(_NO_TESTS.search(line) for line in lines)


def not_compiled(root: Path, lines: list[str]) -> Iterator[TestResult]:
    """One failed test for every test class that does not compile; for other code, one for its module's build."""
    for block in _compiler_blocks(lines):
        text = "\n".join(block)
        files = [Path(found["file"]) for line in block if (found := _PLACE.match(line)) is not None]
        for name in dict.fromkeys(_unbuilt(root, file) for file in files):
            yield failure("", name, text)
        if not files:
            yield failure("", BUILD, text)


def _compiler_blocks(lines: list[str]) -> Iterator[list[str]]:
    """The compiler's own words of each failed module, without Maven's levels and rulers."""
    block: list[str] | None = None
    for line in lines:
        said = _LEVEL.sub("", line)
        if _COMPILER.match(line):
            block = []
        elif block is not None and re.match(r"^\[INFO\] \d+ errors?|^\[INFO\] -+$", line) and block:
            yield block
            block = None
        elif block is not None and not said.startswith("-----"):
            block.append(said)
    if block:
        yield block


def _unbuilt(root: Path, file: Path) -> str:
    module = module_of(root, file)
    of_test = _OF_TESTS.search(file.as_posix())
    if of_test is not None and _TEST_CLASS.fullmatch(file.stem):
        return suite_of(module, of_test.group(1).replace("/", "."))
    return f"{BUILD} of {module}" if module else BUILD
