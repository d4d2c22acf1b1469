"""One real cycle, carried out by the builtin agent in a process of its own, looked at from every side."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.office import CYCLES, Office, Reply, opened_office
from tests.server.test_closer import A_WHOLE_LOOP, LEDGER, TESTS
from tests.waiting import until


@dataclass(frozen=True)
class Mended:
    office: Office
    folder: Path
    cycle: str

    def get(self, path: str) -> Reply:
        return self.office.ask("GET", f"{CYCLES}/{self.cycle}/{path}")


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mended]:
    base = tmp_path_factory.mktemp("mended")
    folder = base / "shop"
    folder.mkdir()
    (folder / "ledger.py").write_text(LEDGER)
    (folder / "test_ledger.py").write_text(TESTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        with opened_office(folder, real=True) as office:
            cycle = office.create_cycle("Make the failing tests pass", mode="auto")
            assert office.ask("POST", f"{CYCLES}/{cycle}/start").body["message"] == "Cycle started"
            until(lambda: office.ask("GET", f"{CYCLES}/{cycle}").data["status"] != "running", A_WHOLE_LOOP)
            until(lambda: not office.ask("GET", f"{CYCLES}/{cycle}").body["live"])
            yield Mended(office, folder, cycle)


def test_it_is_done(mended: Mended) -> None:
    (brief,) = mended.office.ask("GET", f"{CYCLES}?view=brief").data
    assert (brief["status"], brief["outcome"], brief["phase"], brief["needs"]) == (
        "completed", "succeeded", "complete", None,
    )  # fmt: skip
    assert (brief["tests"]["failed"], brief["tasks"]["completed"]) == (0, brief["tasks"]["total"])


def test_its_steps(mended: Mended) -> None:
    steps = mended.get("timeline").data
    assert {"ra.analyse", "ep.explore", "ep.plan", "cd.implement", "vas.baseline", "vas.validate", "aggregation"} == {
        step["action"] for step in steps
    }
    assert all(step["ended_at"] and step["result"] and step["iteration"] == 1 for step in steps)
    written = [file["file"] for step in steps for file in step["files"] if step["action"] == "cd.implement"]
    assert written == ["ledger.py"]


def test_its_validations(mended: Mended) -> None:
    (check,) = mended.get("history").data
    assert (check["passed"], check["total"], check["failed"], check["pass_rate"]) == (True, 2, 0, 100)


def test_what_its_roles_said_and_wrote(mended: Mended) -> None:
    said = mended.get("transcript")
    assert {line["role"] for line in said.data} >= {"cd", None}
    assert [line["after"] for line in said.data] == sorted(line["after"] for line in said.data)
    names = {document["name"] for document in mended.get("documents").data}
    assert names >= {
        "ra/requirements.md", "ra/edge-cases.md", "ep/exploration.md", "ep/architecture.md", "ep/plan.json",
        "cd/implementation.md", "vas/test-results.json", "vas/summary.md", "coordination/summary.md",
        "coordination/timeline.md",
    }  # fmt: skip
    plan = mended.get("documents/ep/plan.json?version=1.0.0").data
    assert ("TASK-001" in plan["text"], plan["version"]) == (True, "1.0.0")
    assert mended.get("discoveries").body["total"] == len(mended.get("discoveries").data) > 0


def test_what_it_changed(mended: Mended) -> None:
    whole, first = mended.get("diff").data["diff"], mended.get("diff?iteration=1").data["diff"]
    assert whole == first
    assert "amount > 0" in whole
    kept = mended.get("checkpoints").data
    assert [file["file"] for file in kept[-1]["files"]] == ["ledger.py"]
    assert mended.get(f"checkpoints/{kept[-1]['n']}/diff").data["diff"] == whole
