"""How an agent is named with its model and effort, in one word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.agent_names import (
    PRESET_COMMANDS,
    AgentChoice,
    check_agent,
    complete_name,
    read_choice,
    session_words,
)
from loopwright.core.errors import Invalid
from loopwright.core.state import RunSettings
from loopwright.policy.secrets import withheld_names

NAMES = st.from_regex(r"[A-Za-z0-9][\w.-]{0,20}", fullmatch=True).filter(str.isascii)
WORDS = st.text("abc019-_./:@[]$|()", min_size=1, max_size=20).filter(str.strip)
EFFORTS = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@given(NAMES, st.none() | WORDS, st.none() | EFFORTS)
def test_every_choice_is_read_as_it_was_written(name: str, model: str | None, effort: str | None) -> None:
    choice = AgentChoice(name, model, effort)
    assert read_choice(str(choice)) == choice


@pytest.mark.parametrize("text", ["", " ", ":m", "codex:", "codex@", "@high", "codex: @high"])
def test_what_names_nobody_or_nothing_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="does not choose an agent"):
        read_choice(text)


def test_a_run_gives_its_own_agent_what_it_was_made_with_and_nobody_else() -> None:
    settings = RunSettings(agent="codex", model="gpt-5.5", effort="high")
    named = {"codex": "codex:gpt-5.5@high", "codex@low": "codex:gpt-5.5@low", "codex:mini": "codex:mini",
             "gemini": "gemini", "scripted:a@b:c": "scripted:a@b:c"}  # fmt: skip
    assert {name: complete_name(name, settings) for name in named} == named


def test_two_words_for_one_thing_have_to_agree() -> None:
    assert str(AgentChoice("codex", "m").chosen_by("m", "high")) == "codex:m@high"
    with pytest.raises(Invalid, match="'codex:m' names the model 'm', and model is 'n'; choose one"):
        AgentChoice("codex", "m").chosen_by("n", None)


def test_who_has_no_model_takes_none() -> None:
    with pytest.raises(Invalid, match="bash works without a model"):
        check_agent("bash:m", own="codex")
    check_agent("codex:m@high", own="codex")


def test_a_session_is_gone_on_with_by_hand_whatever_its_model() -> None:
    assert session_words("ra/codex:a/b@high", "7") == "ra/codex:a/b@high 7 (by hand: codex resume 7)"


def test_a_preset_gets_the_secrets_it_logs_in_with_and_a_proxys() -> None:
    environment = dict.fromkeys(
        ("OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"),
        "value-of-it",
    ) | {"HTTPS_PROXY": "http://me:pass@proxy"}
    given = {
        name: set(environment) - set(withheld_names(environment, preset.passed))
        for name, preset in PRESET_COMMANDS.items()
    }
    assert given["codex"] == {"OPENAI_API_KEY", "HTTPS_PROXY"}
    assert given["claude"] == {"ANTHROPIC_AUTH_TOKEN", "HTTPS_PROXY"}
    assert given["gemini"] == {"GEMINI_API_KEY", "HTTPS_PROXY"}
    assert {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"}.isdisjoint(set().union(*given.values()))
