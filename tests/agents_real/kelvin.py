"""A small project that needs a feature and a fix, and how a good agent gives it both."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.model.script import EditCall, McpCall, ReadCall, Reply, Script, WriteCall, by_text, steps

GOAL = "Add to_kelvin(fahrenheit) in a new module kelvin.py, so that all tests pass."
BROKEN = "def to_celsius(fahrenheit):\n    return (fahrenheit - 32) * 5 // 9\n"
MENDED = BROKEN.replace("//", "/")
FEATURE = (
    "from temperature import to_celsius\n\n\ndef to_kelvin(fahrenheit):\n    return to_celsius(fahrenheit) + 273.15\n"
)
FILES: Mapping[str, str] = {
    "temperature.py": BROKEN,
    "tests/test_temperature.py": (
        "from temperature import to_celsius\n\n\ndef test_boiling():\n    assert to_celsius(212) == 100\n"
    ),
    "tests/test_kelvin.py": (
        "import pytest\nfrom kelvin import to_kelvin\n\n\n"
        "def test_freezing():\n    assert to_kelvin(32) == 273.15\n\n\n"
        "def test_a_fraction():\n    assert to_kelvin(33.8) == pytest.approx(274.15)\n"
    ),
    "pytest.ini": "[pytest]\ntestpaths = tests\npythonpath = .\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}
"""What is asked for lays an old fault open: it rounds down."""

AGAIN, MENDING, PLANNING = "could not be taken", "Find the cause", "Plan the work"
"""Words that tell the engine's messages apart."""


def writes_the_feature(project: Path) -> Reply:
    return Reply(text="I write the module.", calls=(WriteCall(str(project / "kelvin.py"), FEATURE),))


def reads_the_fault(project: Path) -> Reply:
    return Reply(text="I look at what it rests on.", calls=(ReadCall(str(project / "temperature.py")),))


def mends_the_fault(project: Path) -> Reply:
    path = str(project / "temperature.py")
    return Reply(text="It rounds down.", calls=(EditCall(path, BROKEN.splitlines()[1], MENDED.splitlines()[1]),))


def said(action: str, message: str, status: str = "success", **updates: object) -> Reply:
    """The report as text."""
    return Reply(
        text=f"ACTION_RESULT:\n- action: {action}\n- status: {status}\n- message: {message}\n"
        f"- state_updates: {json.dumps(updates)}\n\nFILES_UPDATED:\n\nNEXT_ACTION_NEEDED: {action}\n"
    )


def told(action: str, message: str, status: str = "success") -> tuple[Reply, Reply]:
    """The report through the tool."""
    arguments = {"action": action, "status": status, "message": message}
    return Reply(calls=(McpCall("loopwright", "report_action_result", arguments),)), Reply(text=message)


PLAN = said("INIT", "One step will do.", tasks=[{"description": "Write kelvin.py with to_kelvin."}])


def feature(project: Path) -> tuple[Reply, ...]:
    return writes_the_feature(project), said("DEVELOP", "kelvin.py is there.")


def mending(project: Path) -> tuple[Reply, ...]:
    return reads_the_fault(project), mends_the_fault(project), *told("DEBUG", "It rounds no more.")


def course(
    *,
    plan: Sequence[Reply] = (PLAN,),
    feature: Sequence[Reply],
    mending: Sequence[Reply],
    again: Sequence[Reply] = (),
) -> Script:
    """What is answered to each order, and to whatever else is asked; there, by default, with words only."""
    orders = {AGAIN: again or (Reply(text="I have nothing to add."),), MENDING: mending, PLANNING: plan, "": feature}
    return by_text({words: steps(*answers) for words, answers in orders.items()})


def good(project: Path) -> Script:
    """A plan of one task and the feature with reports as text, the fix with a report through the tool."""
    return course(feature=feature(project), mending=mending(project))
