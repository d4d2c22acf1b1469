"""Turns that go as they should: messages, modes, sessions, permissions, usage."""

from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.core.errors import AgentError
from loopwright.core.protocol import ActionReport, Capabilities, Usage
from loopwright.core.state import Policy
from loopwright.core.transcript import (
    AgentPlan,
    AgentText,
    AgentThought,
    PermissionResult,
    SessionStart,
    ToolUse,
    UsageUpdate,
)
from loopwright.policy.permissions import POLICIES
from tests.misbehaving.orders import command, order
from tests.misbehaving.scene import Scene, scene

EDIT = {"toolCallId": "c1", "title": "Edit it", "kind": "edit"}


async def test_a_session_lasts_over_its_turns(tmp_path: Path) -> None:
    async with scene(tmp_path) as talk:
        assert talk.agent.name == "misbehaving"
        assert talk.agent.capabilities == Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)
        first = await talk.ask(("say", "Hello "), ("say", "there."))
        second = await talk.ask(("show", "prompts"))
        assert (first.text, second.text) == ("Hello there.", "2")
        assert first.session == second.session == f"session-{(first.session or '').removeprefix('session-')}"
        assert second.signs > first.signs > 0
        begun = talk.heard(SessionStart)
        assert [(each.agent, each.loaded, each.version) for each in begun] == [("misbehaving", False, "0.1")]


async def test_what_is_done_is_heard_in_order(tmp_path: Path) -> None:
    plan = {"sessionUpdate": "plan", "entries": [{"content": "look", "priority": "low", "status": "completed"}]}
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": "c1",
        "title": "ls",
        "kind": "execute",
        "rawInput": {"command": "ls"},
    }
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "a b"}}]}  # fmt: skip
    async with scene(tmp_path) as talk:
        output = await talk.ask(
            ("think", "Let me "), ("think", "see."), ("update", plan), ("say", "I look."), ("update", call),
            ("update", done), ("update", done), ("say", "Done."),
        )  # fmt: skip
        assert output.text == "I look.\n\nDone."
        begun, *events = talk.events
        used = ToolUse(id="c1", title="ls", tool="execute", command="ls")
        assert isinstance(begun, SessionStart)
        assert events == [
            AgentThought(text="Let me see."),
            AgentPlan(entries=(("look", "completed"),)),
            AgentText(text="I look."),
            used,
            used.evolve(status="completed", output="a b"),
            AgentText(text="\n\nDone."),
        ]


async def test_partial_text_is_told_while_it_works(tmp_path: Path) -> None:
    async with scene(tmp_path) as talk:
        await talk.begin(order(("say", "So far"), ("hang",)))
        output = await talk.until(lambda output: output.text != "")
        assert (output.text, output.running, output.asking) == ("So far", True, False)


async def test_what_was_written_and_spent_is_told_before_the_end(tmp_path: Path) -> None:
    """For a turn that breaks off."""
    usage = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}
    chunk = {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}, "_meta": {"usage": usage}
    }  # fmt: skip
    cost = {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.5, "currency": "USD"}}
    async with scene(tmp_path) as talk:
        await talk.ask(("update", cost))
        more = {**cost, "cost": {"amount": 0.75, "currency": "USD"}}
        await talk.begin(order(("edit", str(talk.project / "a"), "x"), ("update", more), ("update", chunk), ("hang",)))
        output = await talk.until(lambda output: output.text == "a")
        assert (output.wrote, output.usage) == (("a",), Usage(tokens=15, input=10, output=5, cost=0.25))


async def test_what_its_tools_wrote_is_told(tmp_path: Path) -> None:
    async with scene(tmp_path) as talk:
        inside, outside = talk.project / "made.txt", tmp_path / "outside.txt"
        output = await talk.ask(("edit", str(inside), "new"), ("edit", str(outside), "new"))
        assert output.wrote == ("made.txt",)
        assert inside.read_text() == "new"


@pytest.mark.parametrize("config", [False, True])
async def test_the_mode_follows_the_policy(tmp_path: Path, config: bool) -> None:
    how = command({"read-only": "plan", "all": "unknown"}, modes=["calm", "plan"], config=config)
    async with scene(tmp_path, how) as talk:
        modes = [
            (await talk.ask(("show", "mode"), policy=policy)).text
            for policy in ("workspace", "read-only", "read-only", "all", "read-only", "ask")
        ]
        assert modes == ["calm", "plan", "plan", "calm", "plan", "calm"]


async def test_a_mode_that_is_refused_is_told_and_left(tmp_path: Path) -> None:
    how = command({"workspace": "plan"}, modes=["calm", "plan"], refused_modes=["plan"])
    async with scene(tmp_path, how) as talk:
        assert (await talk.ask(("show", "mode"))).text == "calm"
        assert any("no mode 'plan'" in told for told in talk.troubles())


async def test_it_gets_our_environment_and_our_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN", "secret")
    monkeypatch.setenv("SHOWN", "yes")
    async with scene(tmp_path) as talk:
        output = await talk.ask(
            *(("show", name) for name in ("EXTRA", "SHOWN", "HIDDEN", "LOOPWRIGHT_LOOP", "servers"))
        )
        assert output.text == "givenyesNoneloop-misbehaving['loopwright']"


async def test_of_our_secrets_it_gets_what_it_logs_in_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "SMALL_TOKEN", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, f"http://me:{name}@host")
    async with scene(tmp_path, replace(command(), passed=("OPENAI_*", "SMALL_*"))) as talk:
        output = await talk.ask(*(("show", name) for name in ("OPENAI_API_KEY", "SMALL_TOKEN", "GITHUB_TOKEN")))
    assert output.text == "http://me:OPENAI_API_KEY@hosthttp://me:SMALL_TOKEN@hostNone"


class TestSessionsOfBefore:
    @pytest.mark.parametrize("load", ["replays", "replays late"])
    async def test_one_is_loaded_and_its_history_is_not_the_turn(self, tmp_path: Path, load: str) -> None:
        async with scene(tmp_path, command(load=load)) as talk:
            output = await talk.ask(("say", "New."), session="session-7", brief="What was so far.")
            assert (output.text, output.session) == ("New.", "session-7")
            assert talk.heard(AgentText) == [AgentText(text="New.")]
            assert [each.loaded for each in talk.heard(SessionStart)] == [True]

    async def test_one_that_is_refused_is_replaced_and_briefed(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(load="refuses")) as talk:
            output = await talk.ask(("say", "New."), session="session-7", brief="What was so far.")
            assert (output.text, output.session == "session-7") == ("New.", False)
            assert [each.loaded for each in talk.heard(SessionStart)] == [False]
            assert any("No previous sessions found" in told for told in talk.troubles())

    async def test_who_can_not_load_is_not_asked(self, tmp_path: Path) -> None:
        async with scene(tmp_path, command(can_load=False, load="hangs")) as talk:
            assert (await talk.ask(("say", "New."), session="session-7")).text == "New."


class TestUsage:
    async def test_in_the_answer_without_what_was_cached(self, tmp_path: Path) -> None:
        usage = {
            "totalTokens": 2100,
            "inputTokens": 1600,
            "cachedReadTokens": 400,
            "outputTokens": 100,
            "thoughtTokens": 20,
        }
        quota = {"model_usage": [{"model": "m-1"}]}
        async with scene(tmp_path) as talk:
            output = await talk.ask(("result", {"usage": usage, "_meta": {"quota": quota}}))
            told = Usage(tokens=2100, input=2000, cached=400, output=100, model="m-1")
            assert output.usage == told
            assert talk.heard(UsageUpdate) == [UsageUpdate(usage=told)]

    async def test_in_a_quota(self, tmp_path: Path) -> None:
        count = {"input_tokens": 2000, "output_tokens": 80}
        quota = {"token_count": count, "model_usage": [{"model": "m-1", "token_count": count}]}
        async with scene(tmp_path) as talk:
            output = await talk.ask(("result", {"_meta": {"quota": quota}}))
            assert output.usage == Usage(tokens=2080, input=2000, output=80, model="m-1")

    async def test_along_with_the_text_by_request(self, tmp_path: Path) -> None:
        usage = {
            "inputTokens": 1000,
            "outputTokens": 50,
            "totalTokens": 1050,
            "thoughtTokens": 10,
            "cachedReadTokens": 200,
        }
        chunk = {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}, "_meta": {"usage": usage}
        }  # fmt: skip
        async with scene(tmp_path) as talk:
            output = await talk.ask(("update", chunk), ("update", chunk))
            assert output.usage == Usage(tokens=2100, input=2000, cached=400, output=100)

    async def test_a_cost_that_grows_over_the_session(self, tmp_path: Path) -> None:
        def update(amount: float) -> dict[str, object]:
            cost = {"amount": amount, "currency": "USD"}
            return {"sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": cost}

        async with scene(tmp_path) as talk:
            first = await talk.ask(("update", update(0.25)))
            second = await talk.ask(("update", update(0.5)), ("update", update(1.0)))
            third = await talk.ask(("say", "nothing of costs"))
            assert (first.usage.cost, second.usage.cost, third.usage.cost) == (0.25, 0.75, None)

    async def test_nowhere(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            assert (await talk.ask(("say", "Hello."))).usage == Usage()
            assert talk.heard(UsageUpdate) == []


class TestPermissions:
    async def test_allowed_by_policy_this_one_time(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            place = [{"path": str(talk.project / "a.txt")}]
            assert (await talk.ask(("ask", {**EDIT, "locations": place}))).text == "<yes>"
            (decided,) = talk.heard(PermissionResult)
            assert (decided.title, decided.tool, decided.allowed, decided.by) == ("Edit it", "edit", True, "policy")

    async def test_refused_by_policy_and_the_turn_goes_on(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            place = [{"path": str(talk.project / "a.txt")}]
            output = await talk.ask(("ask", {**EDIT, "locations": place}), ("say", " Well."), policy="read-only")
            assert output.text.startswith("<no>")
            assert output.text.endswith("Well.")
            (decided,) = talk.heard(PermissionResult)
            assert not decided.allowed

    async def test_a_link_that_leads_out_is_not_inside(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            (talk.project / "link").symlink_to(tmp_path)
            place = [{"path": str(talk.project / "link" / "a.txt")}]
            assert (await talk.ask(("ask", {**EDIT, "locations": place}))).text == "<no>"

    @pytest.mark.parametrize(("says", "answer"), [(True, "<yes>"), (False, "<no>")])
    async def test_a_person_is_asked_and_the_time_stands(self, tmp_path: Path, says: bool, answer: str) -> None:
        async with scene(tmp_path) as talk:
            talk.person.says = None
            place = [{"path": str(talk.project / "a.txt")}]
            await talk.begin(order(("ask", {**EDIT, "locations": place}), policy="ask"))
            await talk.until(lambda output: output.asking)
            talk.person.says = says
            output = await talk.ended()
            assert (output.text, output.asking) == (answer, False)
            (request,) = talk.person.asked
            assert (request.agent, request.action, request.title) == ("misbehaving", "DEVELOP", "Edit it")
            (decided,) = talk.heard(PermissionResult)
            assert (decided.allowed, decided.by) == (says, "person")

    async def test_a_request_is_about_the_call_that_was_told_before(self, tmp_path: Path) -> None:
        """codex asks with an id alone."""
        async with scene(tmp_path) as talk:
            call = {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "rm", "kind": "execute",
                    "rawInput": {"command": "rm -rf build"}}  # fmt: skip
            await talk.ask(("update", call), ("ask", {"toolCallId": "c1"}), policy="read-only")
            (decided,) = talk.heard(PermissionResult)
            assert (decided.title, decided.allowed) == ("rm", False)

    async def test_an_agent_without_a_fitting_option_gets_none(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            only = [{"optionId": "no", "name": "No", "kind": "reject_once"}]
            assert (
                await talk.ask(("ask", {"toolCallId": "c1", "kind": "read", "title": "r"}, only))
            ).text == "<cancelled>"

    async def test_between_two_turns_nothing_is_decided(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            talk.person.says = None
            await talk.ask(("ask_and_go_on", {"toolCallId": "c1", "kind": "edit", "title": "e"}), policy="ask")
            output = await talk.ask(("say", "On."))
            assert (output.text, output.asking, talk.person.gone) == ("On.", False, len(talk.person.asked))


class TestRoleOfACycle:
    """A role reads the project, and writes in a folder of its own."""

    @staticmethod
    def folder(talk: Scene) -> Path:
        folder = talk.project / ".workflow/.cycle/cycle-1.progress/ra"
        folder.mkdir(parents=True)
        (folder.parent / "ep").mkdir()
        return folder

    async def write(self, talk: Scene, path: Path | str, own: Path | str, policy: Policy = "read-only") -> str:
        asking = ("ask", {**EDIT, "locations": [{"path": str(path)}]})
        return (await talk.ask(asking, action="ra.analyse", policy=policy, folder=str(own))).text

    @pytest.mark.parametrize("policy", POLICIES)
    async def test_its_own_folder_is_free_and_nothing_else_is(self, tmp_path: Path, policy: Policy) -> None:
        async with scene(tmp_path) as talk:
            own = self.folder(talk)
            own.joinpath("out").symlink_to(own.parent / "ep")
            own.joinpath("up").symlink_to(talk.project)
            assert await self.write(talk, own / "requirements.md", own, policy) == "<yes>"
            assert await self.write(talk, own.relative_to(talk.project) / "x.md", own, policy) == "<yes>"
            for path in ("../ep/plan.json", "../../cycle-1.json", "out/plan.json", "up/.workflow/x", ""):
                assert await self.write(talk, f"{own}/{path}", own, policy) == "<no>", path
            assert await self.write(talk, talk.project / "src.py", own, "read-only") == "<no>"
            assert talk.person.asked == []

    async def test_a_folder_that_lies_behind_a_link(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            real = tmp_path / "real/ra"
            real.mkdir(parents=True)
            (talk.project / ".workflow").symlink_to(tmp_path / "real")
            given = talk.project / ".workflow/ra"
            assert await self.write(talk, given / "a.md", given) == "<yes>"
            assert await self.write(talk, real / "a.md", given) == "<yes>"
            assert await self.write(talk, given / "../ep/a.md", given) == "<no>"

    async def test_a_link_in_place_of_its_folder_opens_nothing(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            own = self.folder(talk)
            own.rmdir()
            own.symlink_to(tmp_path)
            assert await self.write(talk, own / "a.md", own) == "<no>"
            assert await self.write(talk, tmp_path / "a.md", own) == "<no>"

    async def test_what_it_wrote_in_other_folders_is_told(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            own = self.folder(talk)
            (talk.project / "link").symlink_to(own.parent / "ep")
            files = (own / "a.md", own.parent / "ep/plan.json", talk.project / "link/x.md", tmp_path / "outside")
            output = await talk.ask(
                *(("edit", str(file), "new") for file in files), action="ra.analyse", folder=str(own)
            )  # fmt: skip
            below = ".workflow/.cycle/cycle-1.progress"
            assert output.wrote == (f"{below}/ra/a.md", f"{below}/ep/plan.json", "link/x.md", f"{below}/ep/x.md")

    @pytest.mark.parametrize("session", [None, "session-7"])
    async def test_a_sandbox_is_told_of_it_only_where_it_lies_elsewhere(
        self, tmp_path: Path, session: str | None
    ) -> None:
        elsewhere = tmp_path / "main/.workflow/.cycle/cycle-1.progress/cd"
        for able in (True, False):
            here = tmp_path / str(able)
            here.mkdir()
            async with scene(here, command(load="works", goes_beside=able)) as talk:
                output = await talk.ask(("show", "beside"), folder=str(elsewhere), session=session)
                assert output.text == str([str(elsewhere)] if able else [])
        async with scene(tmp_path, command(goes_beside=True)) as talk:
            assert (await talk.ask(("show", "beside"), folder=str(self.folder(talk)))).text == "[]"

    async def test_who_works_in_another_tree_names_them_whole(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            own = tmp_path / "main/.workflow/.cycle/cycle-1.progress/cd"
            own.mkdir(parents=True)
            (own.parent / "ra").mkdir()
            asking = ("ask", {**EDIT, "locations": [{"path": str(own / "notes.md")}]})
            assert (await talk.ask(asking, action="cd.implement", folder=str(own))).text == "<yes>"
            files = (talk.project / "src.py", own.parent / "ra/requirements.md", tmp_path / "main/app.py")
            output = await talk.ask(
                *(("edit", str(file), "new") for file in files), action="cd.implement", folder=str(own)
            )  # fmt: skip
            assert output.wrote == ("src.py", str(own.parent / "ra/requirements.md"))

    async def test_its_report_is_read(self, tmp_path: Path) -> None:
        async with scene(tmp_path) as talk:
            text = "PHASE_RESULT:\n- phase: ra\n- status: partial\n- summary: half\n- issues: one\n"
            report = (await talk.ask(("say", text), action="ra.analyse")).report
            assert report == ActionReport(
                action="ra.analyse", status="partial", message="half", state_updates={"issues": ["one"]}
            )  # fmt: skip


async def test_a_second_message_before_the_end_is_refused(tmp_path: Path) -> None:
    async with scene(tmp_path) as talk:
        await talk.begin(order(("hang",)))
        with pytest.raises(AgentError, match="still working") as raised:
            await talk.begin(order(("hang",)))
        assert raised.value.kind == "protocol"
