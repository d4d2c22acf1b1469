"""Errors as agents give them, and what they mean."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.errors import WORDS_TOLD, classify_broken_turn, classify_error, read_log, read_trouble
from loopwright.core.errors import AgentTrouble

NOW = datetime(2026, 1, 22, 10, 30, tzinfo=UTC)

RETRY_INFO = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37s"}],
    }
}


@pytest.mark.parametrize(
    ("code", "message", "data", "kind"),
    [
        (-32000, "Authentication required", None, "auth"),
        (-32603, "Internal error", {"details": "401 Incorrect API key provided: none"}, "auth"),
        (-32603, "Internal error", {"errorName": "ProviderAuthError", "message": "Missing key"}, "auth"),
        (-32603, "Internal error", {"errorName": "APIError", "statusCode": 401, "message": "Unauthorized"}, "auth"),
        (400, json.dumps({"error": {"message": "API key not valid. Please pass one.", "status": "INVALID_ARGUMENT"}}),
         None, "auth"),
        (403, "Forbidden", None, "auth"),
        (-32603, "Internal error", {"codexErrorInfo": "usageLimitExceeded", "message": "x"}, "quota"),
        (-32603, "Internal error", {"codexErrorInfo": "unauthorized", "message": "x"}, "auth"),
        (-32603, "Internal error", {"codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 503}}}, "transient"),
        (-32603, "Internal error", {"codexErrorInfo": "contextWindowExceeded", "message": "x"}, "refused"),
        (-32603, "Internal error", {"error": {"type": "insufficient_quota", "message": "x"}}, "quota"),
        (-32603, "Internal error", {"details": "Claude AI usage limit reached|1800000000"}, "quota"),
        (-32603, "Your credit balance is too low to access the API", None, "quota"),
        (402, "Payment required", None, "quota"),
        (429, "Too Many Requests", None, "rate_limit"),
        (429, "quota", RETRY_INFO, "quota"),
        (-32603, "Internal error", {"details": "429 Too Many Requests"}, "rate_limit"),
        (-32603, "Internal error", {"statusCode": 529, "message": "Overloaded"}, "transient"),
        (500, "Internal", None, "transient"),
        (-32603, "Internal error", {"details": "connect ECONNREFUSED, connection error"}, "transient"),
        (-32603, "Internal error", None, "transient"),
        (-32603, "", "", "transient"),
        (400, "messages: at least one message is required", None, "refused"),
        (-32602, "Invalid params", None, "protocol"),
        (-32601, "Method not found", None, "protocol"),
        (-32700, "Parse error", None, "protocol"),
    ],
)  # fmt: skip
def test_the_table(code: int, message: str, data: object, kind: AgentTrouble) -> None:
    assert classify_error("codex", code, message, data, NOW).kind == kind


@pytest.mark.parametrize(
    ("message", "data", "words"),
    [
        ("Authentication required", None, "codex: Authentication required"),
        ("Internal error", {"details": "the disk is full"}, "codex: the disk is full"),
        ("Failed to prompt", {"details": "the disk is full"}, "codex: Failed to prompt: the disk is full"),
        ("Internal error", {"message": "a  b\nc d e f"}, "codex: a b c d e f"),
        (json.dumps(RETRY_INFO), None, f"codex: {RETRY_INFO['error']['message']}"),
        ("", None, "codex: an error without a message"),
    ],
)
def test_the_words_for_people(message: str, data: object, words: str) -> None:
    assert str(classify_error("codex", -32603, message, data, NOW)) == words


def test_long_words_are_cut() -> None:
    assert len(str(classify_error("codex", 1, "x" * 10_000, None, NOW))) <= WORDS_TOLD + len("codex: ")


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        (RETRY_INFO, 37),
        (json.dumps(RETRY_INFO), 37),
        (f"[429] {json.dumps(RETRY_INFO)} at line 7", 37),
        ({"codexErrorInfo": "usageLimitExceeded", "resets_in_seconds": 600}, 600),
        ({"codexErrorInfo": "usageLimitExceeded", "resets_at": int(NOW.timestamp()) + 900}, 900),
        ({"codexErrorInfo": "usageLimitExceeded", "message": "try again in 2 hours"}, 7200),
        ({"codexErrorInfo": "usageLimitExceeded", "message": "try again some day"}, None),
    ],
)
def test_until_when(data: object, seconds: int | None) -> None:
    until = classify_error("gemini", 429, "quota", data, NOW).until
    assert until == (None if seconds is None else NOW + timedelta(seconds=seconds))


def test_only_limits_have_a_time() -> None:
    assert classify_error("codex", 500, "try again in 20 s", None, NOW).until is None


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("We're currently experiencing high demand, which may cause temporary errors.", "transient"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"),
        ("exceeded retry limit, last status: 401 Unauthorized", "auth"),
        ("stream disconnected before completion", "transient"),
        ("You've hit your usage limit", "quota"),
        ("", "transient"),
    ],
)
def test_a_broken_thread(words: str, kind: AgentTrouble) -> None:
    error = classify_broken_turn("codex", words, NOW)
    assert error.kind == kind
    assert str(error).startswith("codex: ")
    assert len(str(error)) > len("codex: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["message", "details", "code", "status", "codexErrorInfo", "error", "retryDelay", "data", "x"]),
        inner, max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.integers(), st.text(max_size=100), JSON)
def test_no_error_breaks_it(code: int, message: str, data: object) -> None:
    error = classify_error("codex", code, message, data, NOW)
    assert str(error).startswith("codex: ")
    assert error.until is None or error.kind in ("quota", "rate_limit")
    as_text = classify_error("codex", code, message, json.dumps(data), NOW)
    assert str(as_text).startswith("codex: ")


@pytest.mark.parametrize(
    "told",
    [None, [], "error", {}, {"codex": {"threadStatus": {"type": "systemError"}}}, {"codex": {"error": None}},
     {"usage": {"inputTokens": 1}}, {"message": {"type": "assistant", "error": ""}}],
)  # fmt: skip
def test_what_is_said_beside_a_turn_and_tells_of_no_error(told: object) -> None:
    assert read_trouble("codex", told, NOW) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", None),
        ("Listening on port 8000\nReady.", None),
        (
            "Loaded.\n[2026-01-22T10:30:00Z] [WARN] Attempt 1 failed with status 500. Retrying",
            "Attempt 1 failed with status 500. Retrying",
        ),
        (
            'timestamp=1 level=ERROR message="stream error" error.error="Rate limit reached" size=1',
            "Rate limit reached",
        ),
        ("\x00error" + "x" * 10_000, "\x00error" + "x" * (WORDS_TOLD - 8) + "…"),
    ],
)
def test_the_words_of_a_log_that_tell_of_an_error(text: str, words: str | None) -> None:
    told = read_log(text)
    assert (told and told[:40]) == (words and words[:40])
    assert len(told or "") <= WORDS_TOLD
