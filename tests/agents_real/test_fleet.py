"""Real agents on machines of a fleet: controlled from afar, killed with their machine, and at their limit."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.agents_real.agents import AGENTS
from tests.agents_real.fence import Fence
from tests.agents_real.fleets import AgentFleet, anywhere, open_agent_fleet, socket_url
from tests.agents_real.kelvin import FEATURE, FILES, GOAL, MENDED, course, feature, good, mending
from tests.fleet.postgres import Server
from tests.fleet.real_fleet import Machine, RealFleet, until
from tests.model.script import Fault, Reply, Script, ShellCall
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

Open = Callable[..., AbstractContextManager[AgentFleet]]
WORDS = "Mind the absolute zero."


@pytest.fixture
def opened(postgres: Server, fleet_url: str, modules: Path, fence: Fence, tmp_path: Path) -> Open:
    """A fleet with these agents, and a project of these files."""
    url = socket_url(postgres, fleet_url.rpartition("/")[2])

    def open(*agents: str, files: Mapping[str, str] = FILES) -> AbstractContextManager[AgentFleet]:
        return open_agent_fleet(url, tmp_path, agents, modules, fence, files)

    return open


def stuck(project: Path) -> Script:
    """A good agent whose command does not end; a part of it leaves session and group."""
    writes, says = feature(project)
    tries = Reply("I try it.", (ShellCall("(setsid sleep 301 &); sleep 300"),))
    return course(feature=(writes, tries, says), mending=mending(project))


def is_stuck(machine: Machine) -> bool:
    return any("sleep 301" in line for line in machine.commands)


def allow_until(fleet: RealFleet, id: str, holds: Callable[[str], bool]) -> int:
    """How many requests of its agent a person has allowed from here, until it holds of the run's status there."""
    allowed = 0
    while not holds((shown := fleet.answer("show", id)).get("fleet", {}).get("status", "")):
        asked = [request["id"] for request in shown["data"]["engine"]["asked"] if not request["answer"]]
        for request in asked:
            fleet.command("approve", id, request, "--allow")
        allowed += len(asked)
        time.sleep(0.3)
    return allowed


@pytest.mark.parametrize("name", AGENTS)
def test_it_asks_and_is_told_from_afar_and_nothing_of_it_outlives_its_machine(
    name: str, opened: Open, fence: Fence
) -> None:
    with serving(anywhere(stuck), fence.listen()) as model, opened(name) as place:
        fleet, first = place.fleet, place.machine({"default": model}).start("--no-sandbox")
        id = fleet.command("submit", GOAL, "--agent", name, "--permissions", "ask", "--proof", "none")["loop_id"]
        assert allow_until(fleet, id, lambda _: is_stuck(first)) >= 1
        fleet.command("tell", id, WORDS)
        place.machine({"default": model}).start("--no-sandbox")
        first.kill()
        until(lambda: first.left() == [], 10)
        model.script = anywhere(good)
        assert allow_until(fleet, id, lambda status: status == "finished") >= 2
        state = fleet.command("fetch", id)
        assert (state["status"], state["engine"]["outcome"]) == ("completed", "succeeded"), state["engine"]["incidents"]
        assert not [one for one in state["engine"]["incidents"] if one["kind"].startswith("environment")]
        assert [one["text"] for one in state["engine"]["messages"]] == [WORDS]
        assert shown(fleet, id, "kelvin.py") == FEATURE
        assert shown(fleet, id, "temperature.py") == MENDED
        lines = fleet.project.journal(id)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        applied = [line["actor"] for line in lines if "#" in line["actor"]]
        assert len(applied) == len(set(applied)) >= 4


def shown(fleet: RealFleet, id: str, file: str) -> str:
    return fleet.git("--git-dir", str(fleet.remote), "show", f"loopwright/{id}:{file}") + "\n"


def test_an_account_at_its_limit_has_no_slot_and_others_go_on(opened: Open, fence: Fence) -> None:
    with (
        serving(lambda _conversation: Fault.USAGE_LIMIT, fence.listen()) as spent,
        serving(anywhere(good), fence.listen()) as fresh,
        opened("codex") as place,
    ):
        fleet = place.fleet
        for account in ("spent", "fresh"):
            fleet.command("fleet", "accounts", account, "--slots", "1")
        submit = ("submit", GOAL, "--agent", "codex", "--proof", "none", "--account")
        first, second, other = (fleet.command(*submit, account)["loop_id"] for account in ("spent", "spent", "fresh"))
        machine = place.machine({"spent": spent, "fresh": fresh}).start("--no-sandbox")
        until(lambda: fleet.status()[other]["status"] == "finished")
        until(lambda: fleet.status()[first]["status"] == "queued")
        assert "usage limit" in fleet.status()[first]["trouble"]
        closed = {one["name"]: one["closed_until"] for one in fleet.command("fleet", "accounts")}
        assert closed["spent"].startswith("2100-01-01")
        assert closed["fresh"] is None
        assert (fleet.status()[second]["status"], fleet.status()[second]["trouble"]) == ("queued", "")
        assert f"{second} begins" not in machine.output
        assert machine.end() == 0
        assert machine.left() == []
