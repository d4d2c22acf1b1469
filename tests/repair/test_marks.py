"""Marks see the statements that following every line sees, and change nothing that a program could notice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.repair.source import SourceText
from tests.repair.asking import diagnose

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python tells lines by itself from 3.12 on")

PROGRAM = '''"""What it is."""
from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

TOTAL = 0
OPS = {
    "twice": lambda n: n * 2,
    "never": lambda n:
        n,
}


def bump(by):
    """Says so."""
    global TOTAL
    TOTAL += by
    return TOTAL


def kinds(value):
    match value:
        case int():
            found = "int"
        case str() | bytes():
            found = "text"
        case _:
            found = None
    return found


def tried(work):
    try:
        work()
    except ValueError:
        return "value"
    except (KeyError,
            TypeError) as error:
        kept = error
    else:
        kept = None
    finally:
        bump(0)
    return kept


@dataclass
class Box:
    size: int = 3

    @property
    def big(self):
        if self.size > 5:
            return True
        elif self.size > 4:
            return None
        else:
            return False

    def each(self):
        for n in range(self.size):
            if n == 1:
                continue
            yield n
        else:
            yield -1

    async def later(self):
        async with contextlib.AsyncExitStack():
            await asyncio.sleep(0)
        return [n async for n in self.numbers()]

    async def numbers(self):
        yield 1


def outer():
    count = 0

    def inner():
        nonlocal count
        count += 1
        return count

    while inner() < 3:
        pass
    with contextlib.suppress(KeyError):
        {}["x"]
        bump(9)
    return [
        count
        for _ in range(2)
        if count
    ]
'''

CALLS = [
    "p.bump(1)", "p.kinds(1)", "p.kinds('a')", "p.kinds(None)", "p.tried(lambda: int('x'))", "p.tried(lambda: {}[1])",
    "p.tried(lambda: 1)", "p.Box(6).big", "p.Box().big", "list(p.Box(2).each())", "asyncio.run(p.Box().later())",
    "p.outer()", "p.OPS['twice'](2)", "p.bump.__doc__ + p.__doc__",
]  # fmt: skip

WORKER = """
import asyncio, json, sys
sys.path[:0] = [sys.argv[1], sys.argv[3]]
from repair_worker.trace import IMPORT, LineRecorder
recorder = LineRecorder(sys.argv[1], marks=sys.argv[2] == "marks")
recorder.start()
import program as p
recorder.stop()
told = []
for number, call in enumerate(json.loads(sys.argv[4])):
    recorder.switch(number)
    recorder.start()
    value = eval(call)
    recorder.stop()
    told.append(repr(value))
json.dump([{n: sorted(lines) for n, lines in recorder.lines.items()}, told], sys.stdout)
"""


def seen(root: Path, how: str) -> tuple[dict[str, set[str]], list[str]]:
    """The statements that each call ran, and what it gave."""
    (root / "program.py").write_text(PROGRAM)
    library = root / "library"
    library.mkdir(exist_ok=True)
    if not (library / "repair_worker").exists():
        import loopwright.repair

        (library / "repair_worker").symlink_to(Path(loopwright.repair.__file__).parent)
    argv = [sys.executable, "-B", "-c", WORKER, str(root), how, str(library), json.dumps(CALLS)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    lines, told = json.loads(done.stdout)
    source = SourceText("program.py", PROGRAM)
    found = {
        number: {
            source.segment(source.by_line[line])
            for file, line in ran
            if file == "program.py" and line in source.by_line
        }
        for number, ran in lines.items()
    }
    return found, told


def test_marks_see_what_following_every_line_sees(tmp_path: Path) -> None:
    marked, followed = seen(tmp_path, "marks"), seen(tmp_path, "follow")
    followed[0]["-1"].remove("from __future__ import annotations")
    assert marked == followed
    assert any("lambda n: n * 2" in one for one in marked[0][str(CALLS.index("p.OPS['twice'](2)"))])


def test_a_program_that_loads_its_files_in_its_own_way_is_followed(tmp_path: Path) -> None:
    files = {
        "tool.py": "def area(a, b):\n    return a + b\n\n\nresult = area(2, 3)\n",
        "test_tool.py": "import runpy\n\n\ndef test_area():\n    assert runpy.run_path('tool.py')['result'] == 6\n",
    }
    assert diagnose(tmp_path / "d", files).hypotheses[0].logging_point == "tool.py:area:2"
