"""Roles of a cycle that play what a test tells them: scripts, a project that is quickly tested, a cycle's page."""

from collections.abc import Iterable
from pathlib import Path

import orjson
from playwright.sync_api import Locator, Page

from tests.browser.served import Served

TESTS = 'from pathlib import Path\n\n\ndef test_app():\n    assert Path("app.txt").read_text() == "good"\n'

Answer = dict[str, object]


def small_project(server: Served, name: str = "small") -> Path:
    """One test, that fails until app.txt says good."""
    project = server.project(name=name)
    (project / "app.txt").write_text("bad")
    (project / "test_app.py").write_text(TESTS)
    return project


def said(role: str, summary: str = "did its part", *, status: str = "success", **lists: Iterable[str]) -> str:
    """A role's report."""
    lines = [f"PHASE_RESULT:\n- phase: {role}\n- status: {status}\n- summary: {summary}"]
    for name in ("files_written", "issues", "blockers", "decisions"):
        entries = tuple(lists.get(name, ()))
        lines += [f"- {name}:{'' if entries else ' none'}", *(f"  - {entry}" for entry in entries)]
    return "\n".join(lines) + "\n"


def analyses(
    requirements: str, summary: str = "wrote down what is required", *, decisions: Iterable[str] = ()
) -> Answer:
    files = {"{folder}/requirements.md": requirements, "{folder}/edge-cases.md": "- an empty file\n"}
    return {"to": "ra.analyse", "text": said("ra", summary, decisions=decisions), "files": files}


def explores() -> Answer:
    found = {"type": "utility", "data": {"name": "slug", "file": "text.py", "usage": "names in addresses"}}
    files = {
        "{folder}/exploration.md": "# Exploration\n\n## Integration points\n\n- app.txt\n",
        "{folder}/architecture.md": "# Architecture\n\nOne file.\n",
        "{folder}/discoveries.ndjson": orjson.dumps(found).decode() + "\n",
    }
    return {"to": "ep.explore", "text": said("ep", "looked around"), "files": files}


def plans(*tasks: dict[str, object]) -> Answer:
    plan = orjson.dumps({"tasks": tasks}).decode()
    return {"to": "ep.plan", "text": said("ep", "planned"), "files": {"{folder}/plan.json": plan}}


def implements(task: str, files: dict[str, str] | None = None, **more: object) -> Answer:
    return {"to": f"# Order: cd.implement {task},", "text": said("cd", f"did {task}"), "files": files or {}, **more}


def judges() -> Answer:
    return {"to": "vas.validate", "text": said("vas", "all is there"), "files": {"{folder}/summary.md": "# Fine\n"}}


def task(number: int, *needs: int, description: str = "", effort: str = "small") -> dict[str, object]:
    return {
        "id": named(number), "description": description or f"Part {number}", "effort": effort,
        "depends_on": [named(one) for one in needs], "files": [f"part{number}.txt"],
    }  # fmt: skip


def named(number: int) -> str:
    return f"TASK-{number:03d}"


def cast(project: Path, *answers: Answer) -> str:
    """The name of an agent that plays them, whatever its role; who starts later goes on after what was played."""
    script = project / ".workflow" / "cast.json"
    script.parent.mkdir(mode=0o700, exist_ok=True)
    script.write_bytes(orjson.dumps({"answers": answers}))
    return f"scripted:{script}"


def new_cycle(server: Served, words: str, *options: str, project: Path | None = None) -> str:
    """From a terminal; its id."""
    made = server.call("cycle", "create", words, *options, project=project)["data"]
    assert isinstance(made, dict)
    return str(made["cycle_id"])


def cycle_page(cycle_id: str, tab: str = "") -> str:
    return f"/cycles/{cycle_id}{f'/{tab}' if tab else ''}"


def lane(page: Page, role: str) -> Locator:
    return page.get_by_role("region", name=role, exact=True)
