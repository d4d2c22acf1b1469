"""What people and programs call, word by word: the help, the HTTP API, the tools. A change here has to be meant.

`PYTHONPATH=. python -m tests.golden.test_surfaces` writes the files anew.
"""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from starlette.testclient import TestClient

from loopwright.projects import Projects
from loopwright.reports.tools import JUDGE_TOOLS, REVIEW_TOOLS, STEP_TOOLS, WORK_REVIEW_TOOLS
from loopwright.reports.tools import TOOLS as LOOP_TOOLS
from loopwright.surfaces.cli.main import app
from loopwright.surfaces.mcp.control import list_tools
from loopwright.surfaces.mcp.report import AgentToolset, debug_tools
from loopwright.surfaces.server.app import create_app
from mcp import types
from tests.server.office import PLACE, TOKEN

FOLDER = Path(__file__).parent / "surfaces"
WIDTH = 120
Click = Any  # Any: typer has a copy of click, which is private
REPORTS = {
    "loop": LOOP_TOOLS,
    "cycle": STEP_TOOLS,
    "review": REVIEW_TOOLS,
    "judge": JUDGE_TOOLS,
    "work-review": WORK_REVIEW_TOOLS,
}


def help_texts() -> str:
    return "\n".join(_helps(typer.main.get_command(app), "loopwright", None))


def _helps(command: Click, name: str, above: Click) -> Iterator[str]:
    settings = {**command.context_settings, "terminal_width": WIDTH}
    context = command.context_class(command, info_name=name, parent=above, **settings)
    yield f"$ {context.command_path} --help\n{command.get_help(context)}\n"
    for one in getattr(command, "commands", {}).values():
        yield from _helps(one, one.name, context)


def openapi() -> str:
    """An operation a line, a schema a line; other tests hold the examples against them."""
    with TestClient(create_app(Projects({}), PLACE.rules(TOKEN)), base_url="http://127.0.0.1:8765") as client:
        told = client.get("/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}).json()
    operations = {f"{verb.upper()} {path}": one for path, verbs in told["paths"].items() for verb, one in verbs.items()}
    return _lines(operations | told["components"]["schemas"])


def tools(described: Iterable[types.Tool]) -> str:
    return _lines({tool.name: tool.model_dump(mode="json", exclude_none=True) for tool in described})


def _lines(known: Mapping[str, object]) -> str:
    return "".join(f"{name}: {json.dumps(_bare(one), ensure_ascii=False)}\n" for name, one in known.items())


def _bare(value: object) -> object:
    """Without examples."""
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key not in ("example", "examples")}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def surfaces() -> dict[str, str]:
    """Every golden file by name."""
    reports = {f"tools-{kind}.txt": tools(AgentToolset(calls, "", "").described) for kind, calls in REPORTS.items()}
    return {
        "help.txt": help_texts(),
        "openapi.txt": openapi(),
        "tools-control.txt": tools(tool.described for tool in list_tools().values()),
        "tools-debug.txt": tools(debug_tools()),
        **reports,
    }


@pytest.fixture(scope="module")
def now() -> dict[str, str]:
    return surfaces()


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_surface(path: Path, now: dict[str, str]) -> None:
    golden = path.read_text(encoding="utf-8").splitlines()
    words = "\n".join(difflib.unified_diff(golden, now[path.name].splitlines(), "so far", "now", lineterm=""))
    assert not words, f"{path.name} has changed:\n{words}"


def test_every_surface_has_its_file(now: dict[str, str]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(now)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in surfaces().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
