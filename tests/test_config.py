"""Where settings come from, and what `[agents.NAME]` may say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.presets import agent_commands
from loopwright.core.config import AgentTable, Config, load_config
from loopwright.core.errors import Invalid


class Sources:
    """The files that settings are read from."""

    def __init__(self, folder: Path) -> None:
        self.project, self._user = folder / "project", folder / "config" / "loopwright" / "loopwright.toml"
        self.project.mkdir()

    def write(self, **texts: str) -> None:
        """`user`, `pyproject` and `own` (the project's loopwright.toml)."""
        self._user.parent.mkdir(parents=True, exist_ok=True)
        places = {
            "user": self._user, "pyproject": self.project / "pyproject.toml", "own": self.project / "loopwright.toml",
        }  # fmt: skip
        for name, text in texts.items():
            places[name].write_text(text)

    def load(self, flags: dict[str, object] | None = None, **environ: str) -> Config:
        return load_config(self.project, flags or {}, environ)

    def refusal(self, text: str) -> str:
        self.write(own=text)
        with pytest.raises(Invalid) as caught:
            self.load()
        return str(caught.value).removeprefix(f"{self.project}/")


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Sources(tmp_path)


def test_an_agent_of_ones_own(sources: Sources) -> None:
    sources.write(
        own="""
        [agents.small]
        command = "small --acp 'two words'"
        env = {SMALL_MODEL = "s-1"}
        without_env = ["OPENAI_API_KEY"]
        mode = "default"
        install = "pip install small"
        login = "small login"
        [agents.listed]
        command = ["/opt/my agent", "--acp"]
        mode = {read-only = "plan"}
        """
    )
    config = sources.load()
    small, listed = config.agents["small"], config.agents["listed"]
    assert small.command == ("small", "--acp", "two words")
    assert small.mode == dict.fromkeys(("ask", "workspace", "read-only", "all"), "default")
    assert (small.env, small.without_env) == ({"SMALL_MODEL": "s-1"}, ("OPENAI_API_KEY",))
    assert (small.install, small.login) == ("pip install small", "small login")
    assert (listed.command, listed.mode) == (("/opt/my agent", "--acp"), {"read-only": "plan"})


def test_tables_are_merged_key_by_key_and_variables_one_by_one(sources: Sources) -> None:
    sources.write(
        user="""
        [agents.small]
        command = "small --acp"
        env = {ONE = "user", TWO = "user"}
        mode = "default"
        """,
        pyproject="""
        [tool.loopwright.agents.small]
        env = {TWO = "pyproject"}
        mode = {all = "yolo"}
        """,
        own="""
        [agents.small]
        login = "small login"
        [agents.codex]
        env = {CODEX_HOME = "/tmp/c"}
        """,
    )
    config = sources.load()
    small = config.agents["small"]
    assert (small.command, small.login) == (("small", "--acp"), "small login")
    assert small.env == {"ONE": "user", "TWO": "pyproject"}
    assert (small.mode["all"], small.mode["ask"]) == ("yolo", "default")
    assert config.agents["codex"] == AgentTable(env={"CODEX_HOME": "/tmp/c"})
    assert config.origins["agents.small.env"] == str(sources.project / "pyproject.toml")
    assert config.origins["agents.small.login"] == str(sources.project / "loopwright.toml")
    assert config.origins["agents.small.command"].endswith("config/loopwright/loopwright.toml")


def test_neither_the_environment_nor_a_flag_makes_an_agent(sources: Sources) -> None:
    config = sources.load(LOOPWRIGHT_AGENTS="x", LOOPWRIGHT_AGENT="small", LOOPWRIGHT_PARK="false")
    assert config.agents == {}
    assert (config.settings.agent, config.settings.park) == ("small", False)


def test_what_is_given_nearer_wins(sources: Sources) -> None:
    sources.write(user="permissions = 'all'\ngrace_timeout = 5", own="permissions = 'ask'")
    settings = sources.load({"permissions": None}).settings
    assert (settings.permissions, settings.grace_timeout, settings.prompts) == ("ask", 5, None)
    assert sources.load({"permissions": "read-only"}).settings.permissions == "read-only"


def test_cycles_have_settings_of_their_own(sources: Sources) -> None:
    sources.write(
        user="max_iterations = 7\n[cycle]\nparallel = 1\n[cycle.roles]\ncd = 'codex'\nvas = 'builtin'",
        pyproject="[tool.loopwright.cycle]\nmax_iterations = 3\n[tool.loopwright.cycle.roles]\nra = 'claude'",
        own="[cycle]\ntimeout_per_turn = 60\n[cycle.roles]\ncd = 'qwen'",
    )
    config = sources.load({"cycle": {"roles": ("vas=claude",)}}, LOOPWRIGHT_CYCLE_PARALLEL="4")
    cycle = config.cycle
    assert (cycle.parallel, cycle.max_iterations, cycle.timeout_per_turn, cycle.grace_timeout) == (4, 3, 60, 180)
    assert cycle.roles == {"cd": "qwen", "vas": "claude", "ra": "claude"}
    assert config.settings.max_iterations == 7
    known = ("parallel", "max_iterations", "grace_timeout", "roles.ra", "roles.cd", "roles.vas")
    assert [Path(config.origins[f"cycle.{key}"]).name for key in known] == [
        "environment", "pyproject.toml", "default", "pyproject.toml", "loopwright.toml", "flag",
    ]  # fmt: skip


def test_roles_may_be_named_in_one_variable(sources: Sources) -> None:
    config = sources.load(LOOPWRIGHT_CYCLE_ROLES="ra=claude, cd=codex", LOOPWRIGHT_CYCLE_NOTHING="1")
    assert config.cycle.roles == {"ra": "claude", "cd": "codex"}
    assert config.origins["cycle.roles.cd"] == "environment"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"parallel": 9}, "--parallel: must be from 1 to 4 (got 9)"),
        ({"roles": ("dev=codex",)}, "--role: there is no role 'dev'; available: ra (Requirements Analyst), ep (Explor"),
        ({"roles": ("codex",)}, "--role: must assign agents to roles, as in cd=codex"),
        ({"roles": ("cd=",)}, "--role: must assign agents to roles, as in cd=codex"),
    ],
)
def test_a_flag_of_cycles_that_is_wrong_is_named_as_it_was_typed(
    sources: Sources, given: dict[str, object], words: str
) -> None:
    with pytest.raises(Invalid) as caught:
        sources.load({"cycle": given})
    assert str(caught.value).startswith(words)


WRONG = [
    ("cycle = 3", "cycle: must be a table, as in [cycle] (got 3)"),
    ("[cycle]\nparalel = 3", "cycle: unknown setting paralel (known: parallel, max_iterations, "),
    ("[cycle]\nparallel = 5", "cycle.parallel: must be from 1 to 4 (got 5)"),
    ("[cycle]\nmax_iterations = 0", "cycle.max_iterations: must be from 1 to 1,000,000 (got 0)"),
    ("[cycle]\ngrace_timeout = -1", "cycle.grace_timeout: "),
    ("[cycle]\nroles = 5", 'cycle.roles: must be a table of agents by role, as in [cycle.roles] cd = "codex"'),
    ("[cycle.roles]\ndev = 'codex'", "cycle.roles: there is no role 'dev'; available: ra (Requirements Analyst), "),
    ("[cycle.roles]\ncd = ''", "cycle.roles.cd: "),
    ("agents = 3", "agents: must contain tables, as in [agents.NAME] (got 3)"),
    ("agents.codex = 'codex-acp'", "agents.codex: must be a table, as in [agents.codex] (got 'codex-acp')"),
    ("[agents.small]\nenv = {A = 'b'}", 'agents.small: needs a command, for example command = "small --acp"'),
    ("[agents.small]", 'agents.small: needs a command, for example command = "small --acp"'),
    ("[agents.small]\ncommand = 'x'\ncomand = 'y'", "agents.small: unknown key comand (known: command, env, "),
    ("[agents.auto]\ncommand = 'x'", "agents.auto: not a name for an agent"),
    ("[agents.bash]\ncommand = 'x'", "agents.bash: not a name for an agent"),
    ("[agents.'a b']\ncommand = 'x'", "agents.a b: not a name for an agent"),
    ("[agents.'../x']\ncommand = 'x'", "agents.../x: not a name for an agent"),
    ("[agents.'scripted:x']\ncommand = 'x'", "agents.scripted:x: not a name for an agent"),
    ("[agents.small]\ncommand = ''", "agents.small.command: must be a command line or a list of words (got '')"),
    ("[agents.small]\ncommand = []", "agents.small.command: must be a command line or a list of words"),
    ("[agents.small]\ncommand = [1]", "agents.small.command: must be a command line or a list of words"),
    ("[agents.small]\ncommand = 5", "agents.small.command: must be a command line or a list of words (got 5)"),
    ('[agents.small]\ncommand = "it\'s"', "agents.small.command: cannot be read as a command line: No closing"),
    ("[agents.small]\ncommand = [' ']", "agents.small.command: must start with a program"),
    ('[agents.small]\ncommand = ["a", "b\\u0000"]', "agents.small.command: must not contain NUL"),
    ("[agents.codex]\nenv = 'A=b'", "agents.codex.env: "),
    ("[agents.codex]\nenv = {A = 1}", "agents.codex.env.A: Input should be a valid string (got 1)"),
    ("[agents.codex.env]\n'A=B' = 'c'", "agents.codex.env.A=B: must be the name of an environment variable"),
    ('[agents.codex.env]\nA = "b\\u0000"', "agents.codex.env.A: must not contain NUL"),
    ("[agents.codex]\nwithout_env = 'A'", "agents.codex.without_env: "),
    ("[agents.codex]\nwithout_env = ['A B']", "agents.codex.without_env.0: must be the name of an environment"),
    ("[agents.codex]\nmode = 3", "agents.codex.mode: must be a mode, or a table of modes by policy (ask, workspace, "),
    ("[agents.codex.mode]\nwrite = 'x'", "agents.codex.mode.write"),
    ("permissions = 'everything'", "permissions: Input should be 'ask', 'workspace', 'read-only' or 'all'"),
    ("grace_timeout = -1", "grace_timeout: "),
    ("prompts = ''", "prompts: "),
]


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[text.replace("\n", " ") for text, _ in WRONG])
def test_what_is_wrong_is_named_with_its_file_and_key(sources: Sources, text: str, words: str) -> None:
    told = sources.refusal(text)
    assert told.startswith(f"loopwright.toml: {words}")
    assert "\n" not in told


TABLES = st.dictionaries(
    st.sampled_from(["command", "install", "login"]), st.text("abc ", min_size=1).filter(str.strip), max_size=3
)


@given(st.lists(TABLES, min_size=1, max_size=3))
def test_whatever_the_order_the_last_one_to_say_it_counts(
    tmp_path_factory: pytest.TempPathFactory, tables: list[dict[str, str]]
) -> None:
    sources = Sources(tmp_path_factory.mktemp("sources"))
    names = ("user", "pyproject", "own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(sources.project.parent / "config"))
        for name, table in zip(names, tables, strict=False):
            head = "[tool.loopwright.agents.codex]" if name == "pyproject" else "[agents.codex]"
            sources.write(**{name: "\n".join([head, *(f"{key} = '{value}'" for key, value in table.items())])})
        agents = sources.load().agents
    expected = {key: value for table in tables for key, value in table.items()}
    got = agents["codex"].model_dump(exclude_unset=True) if "codex" in agents else {}
    assert got.keys() == expected.keys()
    assert all(got[key] == (tuple(expected[key].split()) if key == "command" else expected[key]) for key in got)


def test_a_model_and_an_effort_are_those_of_the_agent_that_is_named_with_them(sources: Sources) -> None:
    """Another agent that a nearer source names has none of the farther one's."""
    sources.write(user="agent = 'codex'\nmodel = 'gpt-5.5'\neffort = 'high'")
    chosen = sources.load().settings
    assert (chosen.agent, chosen.model, chosen.effort) == ("codex", "gpt-5.5", "high")
    other = sources.load({"agent": "gemini"})
    assert (other.settings.agent, other.settings.model, other.settings.effort) == ("gemini", None, None)
    assert other.origins["model"] == "default"
    same = sources.load({"agent": "codex", "effort": "low"}).settings
    assert (same.model, same.effort) == ("gpt-5.5", "low")
    assert sources.load(LOOPWRIGHT_MODEL="gpt-6").settings.model == "gpt-6"


def test_a_role_is_played_by_an_agent_with_a_model_of_its_own(sources: Sources) -> None:
    sources.write(
        own="""
        [cycle.roles]
        ra = "gemini"
        ep = "opencode:anthropic/claude-sonnet-5"
        cd = { agent = "codex", model = "gpt-5.5", effort = "high" }
        vas = { agent = "claude", effort = "max" }
        """
    )
    assert sources.load().cycle.roles == {
        "ra": "gemini", "ep": "opencode:anthropic/claude-sonnet-5", "cd": "codex:gpt-5.5@high", "vas": "claude@max",
    }  # fmt: skip
    typed = sources.load({"cycle": {"roles": ("cd=qwen:qwen3:8b@low",)}}).cycle.roles
    assert typed["cd"] == "qwen:qwen3:8b@low"


def test_an_agent_has_further_arguments_and_servers(sources: Sources) -> None:
    sources.write(
        user="""
        [agents.codex.mcp.search]
        url = "https://mcp.example.org/s?key=k"
        headers = {Authorization = "Bearer b"}
        """,
        own="""
        [agents.codex]
        model = "gpt-5.5"
        args = "-c 'a b'"
        [agents.codex.mcp.notes]
        command = "notes --stdio"
        args = ["--quiet"]
        env = {NOTES_KEY = "k"}
        """,
    )
    codex = agent_commands(sources.load().agents)["codex"]
    assert (codex.argv, codex.model) == (("codex-acp", "-c", "a b"), "gpt-5.5")
    assert [(one.name, one.command, one.args, one.url) for one in codex.mcp] == [
        ("search", "", (), "https://mcp.example.org/s?key=k"), ("notes", "notes", ("--stdio", "--quiet"), ""),
    ]  # fmt: skip
    assert (codex.mcp[0].headers, codex.mcp[1].env) == ({"Authorization": "Bearer b"}, {"NOTES_KEY": "k"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agent = 'codex:'", "agent: 'codex:' does not choose an agent; write NAME, NAME:MODEL"),
        ("model = ' '", "model: must be a name"),
        ("[cycle.roles]\ncd = {model = 'x'}", "cycle.roles: must be an agent, or a table as in"),
        ("[cycle.roles]\ncd = {agent = 'codex', modle = 'x'}", "cycle.roles: must be an agent, or a table as in"),
        ("[agents.codex.mcp.loopwright]\ncommand = 'x'", "agents.codex.mcp.loopwright: must be named with"),
        ("[agents.codex.mcp.s]\nargs = ['sw0rdfish']", "agents.codex.mcp.s: must have either a command, or a url"),
        (
            "[agents.codex.mcp.s]\ncommand = 'x'\nheaders = {A = 'sw0rdfish'}",
            "agents.codex.mcp.s: must have no headers",
        ),
        ("[agents.codex.mcp.s]\nurl = 'sw0rdfish'", "agents.codex.mcp.s.url: must be an address"),
        ("[agents.codex.mcp.s]\nurl = 'https://x.org'\nheaders = {'a b' = 'sw0rdfish'}", "must be the name of an HTTP"),
    ],
)
def test_what_is_no_choice_is_told(sources: Sources, text: str, words: str) -> None:
    told = sources.refusal(text)
    assert words in told
    assert "sw0rdfish" not in told


def test_fallback_agents_are_a_list_or_names_between_commas(sources: Sources) -> None:
    sources.write(own='fallback = ["claude", "opencode:a/b@high"]')
    assert sources.load().settings.fallback == ("claude", "opencode:a/b@high")
    assert sources.load(LOOPWRIGHT_FALLBACK="qwen, gemini").settings.fallback == ("qwen", "gemini")
    assert sources.load({"fallback": ("qwen,gemini", "codex")}).settings.fallback == ("qwen", "gemini", "codex")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('"auto"', "auto and bash are none"),
        ('"codex,codex"', "each agent once"),
        ('"codex,"', "does not choose an agent"),
        ("[1]", "must be agents"),
        ("7", "must be agents"),
    ],
)
def test_what_is_no_fallback_is_told(given: str, words: str, sources: Sources) -> None:
    assert words in sources.refusal(f"fallback = {given}")
