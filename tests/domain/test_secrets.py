"""Secrets stay out of what is written: known values wherever they stand, known shapes, and nothing else."""

import base64
import hashlib
import html
import json
import shlex
import time
import uuid
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loopwright.policy.secrets import (
    HELD,
    SecretFilter,
    SecretStream,
    is_secret,
    named_in,
    secret_values,
    withheld_names,
)
from tests.tables import each

BODY = "MIIEpAIBAAKCAQEA7v1Yz0Qk9dXJ3bU5c2l0aW9uLXRlc3Qta2V5LW9ubHk0Zm9y"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY[::-1]}\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"

SHAPED = {
    "sk-proj-4fK9aLq0ZxB7mW2nR8vT": "key",
    "sk-ant-api03-4fK9aLq0ZxB7mW2nR8vT-u1": "key",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a": "GitHub token",
    "github_pat_11ABCDEFG0abcdefghij_klmnopqrstuv": "GitHub token",
    "glpat-4fK9aLq0ZxB7mW2nR8vT": "GitLab token",
    "AKIAIOSFODNN7EXAMPLE": "AWS key",
    "xoxb-1234567890-abcdefghij": "Slack token",
    "AIzaSyD4fK9aLq0ZxB7mW2nR8vTu1c3e5g7i9k1": "Google key",
    "npm_4fK9aLq0ZxB7mW2nR8vTu1c3e5g7i9k1m3o5": "npm token",
    JWT: "token",
    KEY: "private key",
    KEY.replace("\n", "\\n"): "private key",
}


@each("secret", SHAPED)
def test_a_known_shape_is_masked_and_says_what_it_was(secret: str) -> None:
    for around in ("{}", "use {} now", "k='{}'", '{{"key": "{}"}}', "a\n{}\nb"):
        assert SecretFilter().masked(around.format(secret)) == around.format(f"‹masked {SHAPED[secret]}›")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer 4fK9aLq0ZxB7mW2nR8vT", "Authorization: Bearer ‹masked bearer›"),
        ("postgres://me:hunter2@db/x", "postgres://me:‹masked password›@db/x"),
        ("https://:hunter2@host", "https://:‹masked password›@host"),
        (f"{KEY[:120]} and no end", "‹masked private key› and no end"),
    ],
)
def test_what_stands_beside_a_secret_stays(text: str, masked: str) -> None:
    assert SecretFilter().masked(text) == masked


@each(
    "text",
    [
        hashlib.sha256(b"x").hexdigest(),
        hashlib.sha1(b"x").hexdigest(),
        str(uuid.uuid5(uuid.NAMESPACE_DNS, "x")),
        "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
        "task-0a1b2c3d loop-v2-20260122T100000-0a1b2c3d risk-0123456789abcdefghij",
        "sk-folding-cube-container-wide",
        "Bearer authentication-is-required here",
        "ASIAPACIFICREGIONALS",
        "https://example.org:8080/a@b and postgres://$USER:$PASSWORD@host",
        "the -----BEGIN PRIVATE KEY marker, and what follows is prose",
        "monkeypatch, keyboard_layout, tokenizer, src/tokens.py:12:34",
        "def test_password(): assert login('me', token=None)",
    ],
)
def test_what_only_looks_a_little_like_a_secret_stays(text: str) -> None:
    assert SecretFilter().masked(text) == text


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "GITHUB_TOKEN", "NPMTOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "x-api-key", "CREDENTIALS"],
)
def test_names_that_hold_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    ["HOME", "KEYBOARD", "MONKEY", "TOKENIZERS_PARALLELISM", "SSH_KEY_PATH", "AWS_ACCESS_KEY_ID", "PASSWORD_FILE"],
)
def test_names_that_hold_none(name: str) -> None:
    assert not is_secret(name)


def test_values_come_from_the_environment() -> None:
    environment = {
        "OPENAI_API_KEY": "abcdefgh", "SHORT_TOKEN": "abc", "HOME": "/home/somebody", "PRIVATE_KEY": KEY,
        "GOOGLE_APPLICATION_CREDENTIALS": "/home/somebody/key.json",
    }  # fmt: skip
    values = secret_values(environment)
    assert {"abcdefgh", KEY, BODY} <= set(values)
    assert not any(value.startswith("/") or value == "abc" for value in values)


VALUES = st.lists(st.text(min_size=8, max_size=20), min_size=1, max_size=4)
CLOSE = st.lists(st.text(alphabet="ab ", min_size=8, max_size=10), min_size=1, max_size=3)


@given(VALUES | CLOSE, st.data())
def test_no_listed_value_survives(values: list[str], data: st.DataObject) -> None:
    """Also where values overlap, hold each other, or stand in JSON."""
    text = "".join(data.draw(st.lists(st.sampled_from(values) | st.text(max_size=5) | st.text("ab ", max_size=5))))
    for shown in (SecretFilter(values).masked(text), SecretFilter(values).masked(json.dumps(text))):
        assert not [value for value in values if value in shown]


@given(VALUES | CLOSE | st.just([KEY, *SHAPED]), st.data())
def test_no_listed_value_survives_a_cut(values: list[str], data: st.DataObject) -> None:
    """However the stream is cut into parts, and nothing else of it is lost."""
    text = "".join(data.draw(st.lists(st.sampled_from(values) | st.text(max_size=5) | st.just(" ")))) + "."
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    secrets = SecretFilter(values)
    shown, rest = "", ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        part, rest = secrets.streamed(rest + text[start:end])
        shown += part
    shown += secrets.masked(rest)
    assert not [value for value in values if value in shown]


@given(st.sampled_from(sorted(SHAPED)), st.integers(1, 2), st.data())
def test_no_shape_survives_a_cut(secret: str, times: int, data: st.DataObject) -> None:
    text = f"first {' '.join([secret] * times)} last, Bearer 4fK9aLq0ZxB7mW2nR8vT"
    assume("-----" not in secret or times == 1)
    whole = SecretFilter().masked(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    shown, rest = "", ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        part, rest = SecretFilter().streamed(rest + text[start:end])
        shown += part
    assert shown + SecretFilter().masked(rest) == whole


def test_a_stream_holds_little_back() -> None:
    secrets = SecretFilter(["abcdefgh"])
    assert secrets.streamed("said and done ") == ("said and done ", "")
    assert secrets.streamed("x" * 3 * HELD)[1] == "x" * HELD
    text, rest = secrets.streamed("sk-" + "a1" * 3 * HELD)
    assert text == "‹masked key›"
    assert secrets.streamed(rest + "a1" * HELD)[0] in ("", "‹masked key›"), "what goes on is still one"


FLOODS = [
    "eyJ", "eyJ.", "eyJaaaaaa.", "sk-", "sk", "-", "-----BEGIN PRIVATE KEY-----", "-----", "://", "://a:", "Bearer ",
    " ", "a", "a1_", "xoxb-", "gh", "\\n", "-----BEGIN PRIVATE KEY-----\n" + "A" * 20, "ab",
]  # fmt: skip


@pytest.mark.parametrize("piece", FLOODS)
def test_a_flood_takes_linear_time(piece: str) -> None:
    """4 MB of what patterns begin with; a pattern that goes over its ground twice takes minutes."""
    secrets = SecretFilter(["abababab", "a" * 40 + "b"])
    text = piece * (4_000_000 // len(piece))
    began = time.process_time()
    secrets.masked(text)
    assert time.process_time() - began < 5
    began = time.process_time()
    secrets.streamed(text[:1_000_000])
    assert time.process_time() - began < 2


ENCODED = "s3cr3t'Val/ue+77&\"xyz\u00e9"
DATA = ENCODED.encode()
ENCODINGS = {
    "json": json.dumps(ENCODED),
    "json in json": json.dumps(json.dumps(ENCODED)),
    "python": repr(ENCODED),
    "shell": shlex.quote(ENCODED),
    "page": html.escape(ENCODED),
    "url": quote(ENCODED),
    "form": quote_plus(ENCODED, safe=""),
    "hex": DATA.hex(),
    **{f"base64 after {n}": base64.b64encode(b"abc"[:n] + DATA + b"more").decode() for n in range(3)},
    **{f"base64 for URLs after {n}": base64.urlsafe_b64encode(b"abc"[:n] + DATA + b"more").decode() for n in range(3)},
}


@each("text", ENCODINGS.values())
def test_a_known_value_is_masked_however_it_is_encoded(text: str) -> None:
    """In a stream too, wherever it is split."""
    secrets = SecretFilter([ENCODED, "another-value-1"])
    assert "‹masked environment›" in secrets.masked(f"see {text}, then")
    for at in range(1, len(text)):
        told: list[str] = []
        stream = SecretStream(secrets, told.append)
        stream.feed(f"see {text[:at]}")
        stream.feed(f"{text[at:]}, then")
        stream.finish()
        assert "".join(told) == secrets.masked(f"see {text}, then")


def test_what_is_withheld_looks_secret_and_is_not_named() -> None:
    environment = {
        "PATH": "/usr/bin",
        "A_TOKEN": "hunter2hunter2",
        "AWS_SECRET_ACCESS_KEY": "hunter3hunter3",
        "DATABASE_URL": "postgres://me:hunter2@db/x",
        "SSH_KEY_FILE": "id",
        "GOOGLE_CREDENTIALS": "/home/me/key.json",
        "B_TOKEN": "none",
    }
    assert withheld_names(environment) == ("A_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL")
    assert withheld_names(environment, ["AWS_*", "A_TOKEN"]) == ("DATABASE_URL",)
    assert named_in("KeyError: 'A_TOKEN'; MY_A_TOKEN", ["A_TOKEN", "B_TOKEN"]) == ("A_TOKEN",)
