"""What is known of the hosts' tools, what users add, and what a name in a call is taken for."""

import re
from functools import partial
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core import config
from loopwright.core.errors import Invalid
from loopwright.skills.catalogue import (
    BUILT_IN,
    HOSTS,
    CatalogueFile,
    CatalogueTool,
    catalogue_of,
    join_catalogues,
    nearest_parameter,
    read_catalogue_file,
)
from loopwright.skills.diagnosis import load_skill
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.reader.model import Host, Skill
from tests.tables import each

CATALOGUE = join_catalogues()


def tool(name: str, *hosts: Host) -> CatalogueTool:
    found = CATALOGUE.tool(name, hosts)
    assert found is not None
    return found


def volumes() -> list[CatalogueFile]:
    folder = resources.files("loopwright.skills.catalogue")
    return [read_catalogue_file(name, (folder / name).read_text("utf-8")) for name in BUILT_IN]


def test_every_file_of_the_package_is_read() -> None:
    folder = resources.files("loopwright.skills.catalogue")
    assert {file.name for file in folder.iterdir() if file.name.endswith(".toml")} == set(BUILT_IN)


@each("entry", [t for volume in volumes() for t in volume.tools.values()], ids=lambda t: t.name)
def test_a_tool_does_not_contradict_itself(entry: CatalogueTool) -> None:
    named = entry.parameters
    assert len(set(named)) == len(named)
    assert not set(named) & {*entry.renamed, *entry.gone, *entry.ignored}
    meant = {*entry.values, *entry.renamed.values(), *filter(None, [entry.role])}
    assert not entry.closed or meant | set(entry.prompt) <= set(named)


def test_what_stands_instead_of_an_old_tool_is_a_tool_of_the_same_host() -> None:
    for volume in volumes():
        for old in volume.old.values():
            assert old.instead, old.name
            assert CATALOGUE.tool(old.instead, [old.host] if old.host else ()), old.name
            assert old.why, old.name


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_every_host_can_start_agents_ask_and_run_commands(host: Host) -> None:
    deeds = {entry.does for tools in CATALOGUE.tools.values() for entry in tools if entry.host == host}
    assert {"spawn", "ask", "run", "edit"} <= deeds


def test_task_is_another_name_of_agent_that_works() -> None:
    assert tool("Task", "claude") == tool("Agent", "claude")
    assert CATALOGUE.deprecated("Task", ["claude"]) is None
    assert tool("Task").role == "subagent_type"


@each(
    ("name", "parameter", "taken"),
    [
        ("Agent", "subagent_type", True), ("Agent", "team_name", True), ("Agent", "timeout", False),
        ("Agent", "resume", False), ("wait_agent", "targets", True), ("wait_agent", "ids", False),
        ("spawn_agent", "fork_context", True), ("spawn_agent", "prompt", False), ("Read", "path", False),
        ("mcp__server__tool", "anything", True), ("AskUserQuestion", "unheard_of", True),
    ],
)  # fmt: skip
def test_a_parameter_is_wrong_only_where_all_are_known(name: str, parameter: str, taken: bool) -> None:
    found = CATALOGUE.tool(name)
    assert (found is None or found.takes(parameter)) is taken


def test_a_tool_of_several_hosts_takes_what_any_of_them_takes() -> None:
    added = '[tools.read_file]\nhost = "codex"\nrequired = ["path"]\nclosed = true\n'
    both = join_catalogues((("mine.toml", added),)).tool("read_file", ["codex", "gemini"])
    assert both is not None
    assert both.required == ()
    assert both.takes("file_path")
    assert both.takes("path")
    assert not both.takes("offset")
    assert tool("read_file", "gemini").required == ("file_path",)


def test_wait_is_old_only_for_agents() -> None:
    old = CATALOGUE.deprecated("wait", ["codex"], ["ids", "timeout_ms"])
    assert old is not None
    assert (old.instead, old.only_the_name) == ("wait_agent", True)
    assert CATALOGUE.deprecated("wait", ["codex"], ["cell_id"]) is None
    assert CATALOGUE.deprecated("wait", ["claude"], ["ids"]) is None


def test_a_name_of_another_host_is_known_as_such() -> None:
    known = CATALOGUE.resolve("spawn_agent", ["claude"])
    assert known.tool is None
    assert CATALOGUE.hosts_of("spawn_agent") == {"codex"}
    assert CATALOGUE.resolve("spawn_agent").tool == tool("spawn_agent", "codex")
    assert CATALOGUE.hosts_of("search_file_content") == {"gemini"}


@pytest.mark.parametrize("name", ["Math.max", "JSON", "setTimeout", "print", "results.push", "fs.readFile"])
def test_functions_and_methods_are_no_tools(name: str) -> None:
    known = CATALOGUE.resolve(name, ["claude"])
    assert known.function
    assert known.tool is None


def test_namespaces_of_a_host_are_taken_off_and_others_are_not() -> None:
    assert CATALOGUE.resolve("functions.exec_command").tool == tool("exec_command")
    assert CATALOGUE.resolve("multi_agent_v1.spawn_agent").tool == tool("spawn_agent")
    assert CATALOGUE.resolve("helpers.exec_command").tool is None


def test_tools_of_connected_servers_are_nobodys_slip() -> None:
    known = CATALOGUE.resolve("mcp__github__create_issue", ["claude"])
    assert known.mcp
    assert (known.tool, known.old) == (None, None)


@each(
    ("name", "hosts", "meant"),
    [
        ("AskUserQuestions", ["claude"], "AskUserQuestion"), ("spawnAgent", ["codex"], "spawn_agent"),
        ("web_search", ["claude"], "WebSearch"), ("TodoWriter", ["claude"], "TodoWrite"),
        ("spawnAgent", ["claude"], None), ("Agent", ["claude"], None), ("formatReport", ["claude"], None),
        ("Review", ["claude"], None), ("analyze", [], None), ("task", ["claude"], None), ("read", [], None),
        ("web_search_exa", [], None), ("activateskill", ["gemini"], "activate_skill"),
    ],
)  # fmt: skip
def test_a_slip_is_told_from_a_name_of_the_authors_own(name: str, hosts: list[Host], meant: str | None) -> None:
    assert CATALOGUE.nearest(name, hosts) == meant


@pytest.mark.parametrize(
    ("name", "parameter", "meant"),
    [
        ("wait_agent", "ids", "targets"), ("Agent", "subagentType", "subagent_type"), ("Read", "file", "file_path"),
        ("Bash", "cmd", None), ("Agent", "sub", None), ("grep_search", "include", "include_pattern"),
        ("exec_command", "work_dir", "workdir"),
    ],
)  # fmt: skip
def test_the_parameter_that_is_meant(name: str, parameter: str, meant: str | None) -> None:
    assert nearest_parameter(tool(name), parameter) == meant


@given(st.text(max_size=40), st.sets(st.sampled_from(sorted(HOSTS))))
def test_any_name_can_be_asked_for(name: str, hosts: set[Host]) -> None:
    known = CATALOGUE.resolve(name, hosts)
    assert known.tool is None or not hosts or known.tool.host in {None, *hosts}
    assert CATALOGUE.nearest(name, hosts) != name


class TestOfTheUser:
    def skill(self, *texts: tuple[str, str]) -> Skill:
        return Skill("mine", "SKILL.md", {}, {}, catalogues=texts)

    def test_tools_and_functions_are_added(self) -> None:
        text = 'host = "claude"\nfunctions = ["formatReport"]\n[tools."mcp__db__*"]\n'
        catalogue = catalogue_of(self.skill(("mine.toml", text + 'does = "read"\n')))
        assert catalogue.resolve("formatReport").function
        found = catalogue.tool("mcp__db__query", ["claude"])
        assert found is not None
        assert found.does == "read"
        assert catalogue.tool("mcp__db", ["claude"]) is None
        assert CATALOGUE.tool("mcp__db__query") is None

    def test_the_later_file_holds(self) -> None:
        first = ("a.toml", 'host = "claude"\n[tools.Read]\nrequired = ["a"]\n')
        second = ("b.toml", 'host = "claude"\n[tools.Read]\nrequired = ["b"]\n')
        found = catalogue_of(self.skill(first, second)).tool("Read", ["claude"])
        assert found is not None
        assert found.required == ("b",)

    @each(
        ("text", "words"),
        [
            ("host = ", "mine.toml: is not TOML"),
            ('host = "cursor"', "mine.toml: host"),
            ('tools = ["Read"]', "mine.toml: tools"),
            ("[tool.Read]", "mine.toml: unknown key tool (known: host, namespaces, functions, tools, old)"),
            ('[tools.X]\nparameters = ["a"]', "mine.toml: tools.X.parameters"),
            ('[tools.X]\nrequired = "a"', "mine.toml: tools.X.required"),
            ('[tools.X]\ndoes = "magic"', "mine.toml: tools.X.does"),
            ("[old.X]\nsince = 2", "mine.toml: old.X.since"),
        ],
    )
    def test_a_mistake_is_named_with_its_file(self, text: str, words: str) -> None:
        with pytest.raises(Invalid, match=re.escape(words)):
            catalogue_of(self.skill(("mine.toml", text)))

    @given(st.text(max_size=200))
    def test_any_text_is_read_or_refused_with_the_files_name(self, text: str) -> None:
        refusal = ""
        try:
            read_catalogue_file("mine.toml", text)
        except Invalid as error:
            refusal = str(error)
        assert not refusal or refusal.startswith("mine.toml: ")

    def test_files_of_the_user_come_before_those_of_the_project(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        user, project = tmp_path / "config" / "loopwright" / "catalogue", tmp_path / "p" / ".loopwright" / "catalogue"
        assert config.read_catalogues(tmp_path / "p") == ()
        for folder, name in ((project, "a.toml"), (user, "z.toml"), (user, "b.toml"), (user, "b.txt")):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"# {name}")
        found = config.read_catalogues(tmp_path / "p")
        assert [text for _, text in found] == ["# b.toml", "# z.toml", "# a.toml"]
        assert found[2][0] == str(project / "a.toml")

    def test_a_file_that_is_no_text_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        folder = tmp_path / ".loopwright" / "catalogue"
        folder.mkdir(parents=True)
        (folder / "a.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(Invalid, match=r"a\.toml: cannot be read"):
            config.read_catalogues(tmp_path)

    def test_they_are_read_with_the_skill_and_only_then(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        skill, folder = tmp_path / "skills" / "mine", tmp_path / ".loopwright" / "catalogue"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text("# Mine\n")
        folders = SkillFolders(partial(config.read_catalogues, tmp_path))
        folder.mkdir(parents=True)
        (folder / "a.toml").write_text('functions = ["houseReview"]\n')
        assert "houseReview" in catalogue_of(load_skill(folders.read(skill))).functions
        assert SkillFolders().read(skill).catalogues == ()


def test_the_example_in_the_docs_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text("utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    found = join_catalogues((("docs", example),))
    assert found.tool("run_worker", ["claude"]) is not None
    assert found.deprecated("start_worker", ["claude"], ["ids"]) is not None
    assert set(CatalogueTool.model_fields) - {"name", "host"} <= set(re.findall(r"[a-z_]+", page))
