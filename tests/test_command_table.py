"""One row and one handler make a command: of the command line, the HTTP API and its description, and the MCP tools."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pytest
from starlette.testclient import TestClient

from loopwright.core.run import R
from loopwright.core.run_commands import RunService
from loopwright.projects import Project, open_projects
from loopwright.surfaces.cli.main import build_app
from loopwright.surfaces.commands import COMMANDS, Argument, CommandRow, Option
from loopwright.surfaces.mcp.control import control_server
from loopwright.surfaces.server.app import create_app
from mcp import Client
from tests.server.office import PLACE, TOKEN

HEADERS = {"authorization": f"Bearer {TOKEN}"}


def label_run(
    service: RunService[R],
    id: str,
    *,
    label: Annotated[str, Argument("What to call it.", metavar="LABEL")],
    loud: Annotated[bool, Option("In capitals.")] = False,
    words: Annotated[tuple[str, ...], Option("More words of it.")] = (),
) -> R:
    """Give a {kind} another title.

    Its work is not touched.
    """
    title = " ".join((label.upper() if loud else label, *words))
    return service.commit(id, lambda state: state.evolve(title=title), "edited", fields="title")


ROWS = (*COMMANDS, CommandRow("label", label_run, "labelled", example={"label": "Ledger"}))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


@contextmanager
def project_of(folder: Path) -> Iterator[Project]:
    with open_projects([folder], actor="api") as projects:
        yield projects.named(None)


def title_of(folder: Path, loop_id: str) -> str:
    with project_of(folder) as project:
        return project.engine.service.read(loop_id).title


def test_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with project_of(folder) as project:
        id, cycle = project.engine.service.create("Mend it").loop_id, project.engine.cycles.create("Mend it").cycle_id
    app = build_app(ROWS)
    at = ["--project", str(folder)]
    assert not app(["label", id, "ledger", "--loud", "--words", "of", "--words", "May", *at], standalone_mode=False)
    assert capsys.readouterr().out == f"{id} labelled\n"
    assert title_of(folder, id) == "LEDGER of May"
    assert not app(["cycle", "label", cycle, "ledger", "--json", *at], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["data"]["title"] == "ledger"
    assert app(["label", "--help"], standalone_mode=False) == 0
    told = capsys.readouterr().out
    assert all(words in told for words in ("Give a loop another title.", "LABEL", "In capitals.", "--words TEXT"))


def test_over_http_and_in_its_description(folder: Path) -> None:
    with open_projects([folder], actor="api") as projects:
        id = projects.named(None).engine.service.create("Mend it").loop_id
        with TestClient(create_app(projects, PLACE.rules(TOKEN), ROWS), base_url="http://127.0.0.1:8765") as client:
            paths = client.get("/openapi.json", headers=HEADERS).json()["paths"]
            place = f"/api/loops/v2/{id}/label"
            labelled = client.post(
                place, headers=HEADERS, json={"label": "ledger", "loud": True, "words": ["of", "May"]}
            ).json()
            refused = client.post(place, headers=HEADERS, json={"label": "x", "colour": "red"})
    assert (labelled["data"]["title"], labelled["message"]) == ("LEDGER of May", "Loop labelled")
    assert (refused.status_code, refused.json()["error"]) == (400, "colour: is unknown")
    described = paths["/api/cycles/{cycle_id}/label"]["post"]
    assert (described["summary"], described["description"]) == (
        "Give a cycle another title",
        "Its work is not touched.",
    )
    assert "/api/tunings/{tuning_id}/label" in paths


@pytest.mark.anyio
async def test_as_a_tool(folder: Path) -> None:
    with open_projects([folder], actor="mcp") as projects:
        id = projects.named(None).engine.service.create("Mend it").loop_id
        async with Client(control_server(projects, ROWS)) as client:
            (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "label"]
            told = await client.call_tool("label", {"id": id, "label": "ledger", "loud": True, "words": ["of", "May"]})
            refused = await client.call_tool("label", {"id": id})
    assert told.structured_content is not None
    assert told.structured_content["title"] == "LEDGER of May"
    assert tool.description == "Give a loop, cycle or tuning session another title. Its work is not touched."
    assert tool.input_schema["properties"]["loud"]["description"] == "In capitals."
    assert refused.is_error


def test_every_row_is_documented_and_fits_its_kinds() -> None:
    for row in COMMANDS:
        assert row.help_for("loop").endswith("."), row.name
        assert all(field.option.help.endswith((".", "…")) for field in row.fields), row.name
        assert row.example.keys() <= {field.name for field in row.fields}, row.name
