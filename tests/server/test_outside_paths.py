"""Files that callers over HTTP and MCP name: only those of the project, and nothing of what they hold is told."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import orjson
import pytest

from loopwright.core.errors import LoopwrightError
from loopwright.surfaces.mcp.control import list_tools
from loopwright.surfaces.mcp.run_resolver import RunResolver
from loopwright.surfaces.mcp.tool_inputs import read_input
from tests.server.office import CYCLES, LOOPS, Office

SECRET = "root:$6$the-secret-beside"
SKILL = "---\nname: reader\ndescription: Reads ledgers. Use when a ledger is read.\n---\n\n# Reader\n"
NAMES = ["../secret", "{beside}/secret", "inner/../../secret", "link", "linked/secret"]

HTTP: list[tuple[str, dict[str, Any]]] = [  # Any: JSON
    (LOOPS, {"title": "t", "agent": "*"}),
    (LOOPS, {"title": "t", "fallback": ["*"]}),
    (LOOPS, {"title": "t", "review": "*"}),
    (LOOPS, {"title": "t", "attempts": 2, "agents": ["builtin", "*"]}),
    (CYCLES, {"title": "t", "agent": "*"}),
    (CYCLES, {"title": "t", "agent": "builtin", "roles": {"cd": "*"}}),
    ("/api/tunings", {"path": "skill", "agent": "*"}),
    (LOOPS + "/{loop}/tasks", {"description": "d", "tool": "*"}),
    (LOOPS + "/{loop}/generate", {"tool": "*"}),
    (LOOPS + "/{loop}/import", {"issue_id": "I-1", "tool": "*"}),
]
MCP: list[tuple[str, dict[str, Any]]] = [  # Any: JSON
    ("start_loop", {"task": "t", "agent": "*"}),
    ("start_loop", {"task": "t", "review": "*"}),
    ("start_cycle", {"task": "t", "agent": "builtin", "roles": {"vas": "*"}}),
    ("start_tuning", {"path": "skill", "agent": "*"}),
    ("add_task", {"id": "{loop}", "description": "d", "tool": "*"}),
]


@pytest.fixture
def beside(shop: Path) -> Path:
    """With a secret, which links in the project lead to."""
    base = shop.parent
    (base / "secret").write_text(SECRET)
    (shop / "inner").mkdir()
    (shop / "link").symlink_to(base / "secret")
    (shop / "linked").symlink_to(base)
    for folder in (shop / "skill", base / "other"):
        folder.mkdir()
        (folder / "SKILL.md").write_text(SKILL)
    (shop / "linked-skill").symlink_to(base / "other")
    return base


def filled(value: Any, agent: str, loop: str) -> Any:  # Any: JSON
    return orjson.loads(orjson.dumps(value).replace(b'"*"', orjson.dumps(agent)).replace(b"{loop}", loop.encode()))


def told_over_mcp(office: Office, tool: str, arguments: dict[str, Any]) -> str:  # Any: JSON
    row = list_tools()[tool]

    async def silent(progress: float, total: float | None = None, message: str | None = None) -> None: ...

    async def called() -> object:
        answer: Awaitable[object] = row.call(RunResolver(office.projects), read_input(row.takes, arguments), silent)
        return await answer

    with pytest.raises(LoopwrightError) as refused:
        asyncio.run(called())
    return str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_outside_of_the_project_is_refused(office: Office, beside: Path, name: str) -> None:
    agent, loop = f"scripted:{name.format(beside=beside)}", office.create()
    for path, body in HTTP:
        heard = office.ask("POST", path.format(loop=loop), filled(body, agent, loop))
        assert heard.status == 400, (path, body, heard)
        assert "is not in the project" in heard.error, (path, body, heard)
    for tool, arguments in MCP:
        assert "is not in the project" in told_over_mcp(office, tool, filled(arguments, agent, loop))
    task = office.add_task(loop)
    edited = office.ask("PUT", f"{LOOPS}/tasks/{task}", {"loop_id": loop, "tool": agent})
    assert "is not in the project" in edited.error


@pytest.mark.parametrize("path", ["../other", "{beside}/other", "linked-skill", "linked/other/SKILL.md"])
def test_a_skill_outside_of_the_project_is_refused(office: Office, beside: Path, path: str) -> None:
    named = path.format(beside=beside)
    assert "is not in the project" in office.ask("POST", "/api/tunings", {"path": named}).error
    for tool in ("diagnose", "start_tuning"):
        assert "is not in the project" in told_over_mcp(office, tool, {"path": named})


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f'{{"answers": {{"{SECRET}": 1}}}}',
        f'{{"answers": [{{"text": "ok"}}, {{"to": 7, "until": "{SECRET}"}}]}}',
        f'"{SECRET}"',
    ],
)
def test_what_is_no_script_is_not_told(office: Office, shop: Path, text: str) -> None:
    (shop / "notes.txt").write_text(text)
    error = office.ask("POST", LOOPS, {"title": "t", "agent": "scripted:notes.txt"}).error
    assert "notes.txt is not a script" in error
    assert "secret" not in error.lower(), error
    assert "$6$" not in error


def test_a_script_and_a_skill_of_the_project_are_taken(office: Office, shop: Path, beside: Path) -> None:
    (shop / "inner" / "agent.json").write_text('{"answers": []}')
    for name in ("inner/agent.json", str(shop / "inner" / "agent.json")):
        loop = office.create(agent=f"scripted:{name}")
        office.add_task(loop)
        office.add_task(loop, tool=f"scripted:{name}")
    assert office.ask("POST", "/api/tunings", {"path": "skill"}).status == 201
