"""What agents are told in a loop and in a cycle, word by word. tests/agents_real/test_requests.py: what reaches models.

A change has to be meant. `PYTHONPATH=. python -m tests.golden.test_messages` writes the files anew, but none where a
message has lost a part or has grown by more than a tenth: for that say `--grow`.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from loopwright.agents.scripted import AgentScript
from loopwright.core.cycle_names import ROLES
from loopwright.core.prompts import Prompts
from loopwright.reports.discoveries import list_types
from loopwright.workflows.cycle.messages import cycle_prompts
from loopwright.workflows.loop.messages import BY_TEXT, loop_prompts
from tests.golden.courses import (
    COURSES,
    GROWTH,
    PARTS,
    Told,
    course_commands,
    grown_messages,
    lay_out_course,
    list_told,
    lost_parts,
    read_told,
    write_told,
)

FOLDER = Path(__file__).parent / "messages"
CHARACTERS = 4
"""Of a token, about."""

FIRST, LATER, DEBUG, ROLE = 400, 90, 1500, 900
"""Tokens: what is around a loop's first order, around a later one, an order to debug, the first order to a role."""

SELDOM: Mapping[str, tuple[Prompts, Mapping[str, int]]] = {
    "loop": (
        loop_prompts(),
        {"converge": 260, "doubt": 130, "examine": 395, "generate": 595, "selected": 76, "undone": 245},
    ),
    "cycle": (cycle_prompts(), {"conflict": 490, "converge": 212, "finish": 153}),
}
"""Characters of the prompts that the courses do not come to."""


def play_course(kind: str, folder: Path) -> list[Told]:
    """The course by the real command with the scripted agent."""
    project, script = folder / "project", folder / "script.json"
    project.mkdir()
    lay_out_course(project)
    script.write_text(AgentScript(answers=tuple(COURSES[kind])).model_dump_json())
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    for words in course_commands(kind, project, f"scripted:{script}"):
        done = subprocess.run(
            [sys.executable, "-m", "loopwright", *words], cwd=project, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return list_told(project)


def report_texts() -> list[Told]:
    """How to report without tools: what follows a message where an agent has listed none."""
    loop, cycle = loop_prompts(), cycle_prompts()
    texts = [Told(name, loop.render("report_text", action=name, proposals=words)) for name, words in BY_TEXT.items()]
    return [*texts, Told("ep", cycle.render("report_text", role="ep", folder="/own", types=list_types()))]


def golden(kind: str) -> list[Told]:
    return read_told((FOLDER / f"{kind}.txt").read_text(encoding="utf-8"))


def compare(kind: str, now: Sequence[Told]) -> None:
    before = golden(kind)
    changed = difflib.unified_diff(
        write_told(before).splitlines(), write_told(now).splitlines(), "so far", "now", lineterm="", n=1
    )
    words = "\n".join([*grown_messages(before, now), *changed])
    assert not words, f"what is told in a {kind} has changed:\n{words}"


@pytest.mark.parametrize("kind", COURSES)
def test_a_course_is_told_word_by_word(kind: str, tmp_path: Path) -> None:
    compare(kind, play_course(kind, tmp_path))


def test_how_to_report_without_tools() -> None:
    compare("report_text", report_texts())


@pytest.mark.parametrize("kind", COURSES)
def test_every_message_has_its_parts(kind: str) -> None:
    assert not [lost for told in golden(kind) for lost in lost_parts(told)]


def test_every_part_that_goes_is_missed() -> None:
    """And there is a message for each kind of the table."""
    told = [one for kind in COURSES for one in golden(kind)]
    for kind, parts in PARTS.items():
        holding = [one for one in told if re.search(kind, one.text, re.MULTILINE)]
        assert holding, kind
        for part in parts:
            flat = holding[0]._replace(text=re.sub(r"(?<=\S)\n(?=\S)", " ", holding[0].text))
            cut = [one._replace(text=re.sub(part, "", one.text, flags=re.MULTILINE)) for one in (holding[0], flat)]
            kept = [one for one in cut if re.search(kind, one.text, re.MULTILINE)]
            assert not kept or any(repr(part) in lost for one in kept for lost in lost_parts(one)), (kind, part)


@pytest.mark.parametrize(("more", "is_too_much"), [(GROWTH - 1.01, False), (GROWTH - 0.99, True)])
def test_a_message_that_grows_is_named(more: float, is_too_much: bool) -> None:
    for kind in COURSES:
        before = golden(kind)
        for n, one in enumerate(before):
            now = [*before[:n], one._replace(text=one.text + "x" * round(more * len(one.text))), *before[n + 1 :]]
            assert len(list(grown_messages(before, now))) == is_too_much


def test_messages_keep_within_their_budgets() -> None:
    init, *later = golden("loop")
    assert _around(init) <= FIRST
    assert all(
        _around(one) <= LATER for one in later if "# How you work here" not in one.text and "_RESULT:" not in one.text
    )
    assert all(_tokens(one.text) <= DEBUG for one in later if "# How you work here" not in one.text)
    firsts = {
        role: next(one for one in golden("cycle") if one.text.startswith(f"You are {role}, the")) for role in ROLES
    }
    assert all(_tokens(one.text) <= ROLE for one in firsts.values())


@pytest.mark.parametrize("kind", SELDOM)
def test_seldom_prompts_stay_short(kind: str) -> None:
    prompts, sizes = SELDOM[kind]
    texts = {prompt.name: prompt.text for prompt in prompts}
    assert not {name: len(texts[name]) for name, size in sizes.items() if len(texts[name]) > GROWTH * size}


def _tokens(text: str) -> float:
    return len(text) / CHARACTERS


def _around(told: Told) -> float:
    """Tokens of a message without its order."""
    before, _, rest = told.text.partition(f"# Order: {told.title}")
    return _tokens(before + rest[rest.rfind("End your turn with ") :])


def main(may_grow: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        texts = {kind: play_course(kind, _made(Path(name) / kind)) for kind in COURSES}
    for kind, now in {**texts, "report_text": report_texts()}.items():
        path = FOLDER / f"{kind}.txt"
        trouble = [lost for told in now if kind in COURSES for lost in lost_parts(told)]
        if path.exists() and not may_grow:
            trouble += grown_messages(golden(kind), now)
        print(*trouble, f"{path.name}: {'left as it is' if trouble else 'written'}", sep="\n")
        if not trouble:
            path.write_text(write_told(now), encoding="utf-8")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main("--grow" in sys.argv)
