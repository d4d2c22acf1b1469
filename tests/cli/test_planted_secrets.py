"""Secrets that are planted in the environment and in the tests, and looked for in everything that a run leaves."""

import base64
import json
import sys
from pathlib import Path
from urllib.parse import quote

from tests.cli.conftest import Desk

VALUE = "s3cr3t'Val/ue+77&xyz"
COMMAND = f"{sys.executable} -m pytest -s"
SHAPED = "AKIAZ7QPLMNBVCXZASDF"
BODY = "MIIEpAIBAAKCAQEAplantedplantedplanted123"
FORMS = (
    VALUE, SHAPED, BODY, VALUE.encode().hex(), quote(VALUE), json.dumps(VALUE)[1:-1],
    base64.b64encode(VALUE.encode()).decode()[:-4],
)  # fmt: skip
TEST = f"""
import base64, os, urllib.parse
import pytest
VALUE = os.environ["PLANTED_TOKEN"]
KEY = "-----BEGIN RSA PRIVATE KEY-----\\n{BODY}\\n{BODY}\\n-----END RSA PRIVATE KEY-----"
@pytest.mark.parametrize("given", [{SHAPED!r}, VALUE])
def test_it(given):
    print(VALUE, VALUE.encode().hex(), urllib.parse.quote(VALUE), base64.b64encode(VALUE.encode()).decode(), KEY)
    assert given == "", f"not {{VALUE}} {{KEY}}"
"""
SPILL = 'echo "$PLANTED_TOKEN"; printf %s "$PLANTED_TOKEN" | base64; false'


def spilled(place: Path) -> list[str]:
    """The files below that tell one of them."""
    files = [path for path in place.rglob("*") if path.is_file() and ".git" not in path.parts]
    return [str(path) for path in files if any(form in path.read_text(errors="replace") for form in FORMS)]


def prepared(desk: Desk) -> Desk:
    """A project whose test needs a variable, and somebody who has it."""
    (desk.project / "test_it.py").write_text(TEST)
    return Desk(desk.project, {**desk.env, "PLANTED_TOKEN": VALUE})


def test_nothing_that_a_run_leaves_tells_one(desk: Desk) -> None:
    desk = prepared(desk)
    desk = Desk(desk.project, {**desk.env, "LOOPWRIGHT_PASS_ENV": "PLANTED_*"})
    id = desk.create("--proof", "none", "--test-command", COMMAND)
    desk.run("tasks", id, "add", "Spill", "--tool", "bash", "--command", SPILL)
    ran = desk.run("run", "--loop-id", id, "--auto", "--json", "--max-iterations", "6")
    assert ran.code == 1, ran
    questions = (("show", id), ("show", id, "--json"), ("logs", id), ("debug", "--json"))
    told = [ran, *(desk.run(*words) for words in questions)]
    assert '"active_bug": "test_it.py::test_it[‹masked ' in told[-1].out
    assert not [form for form in FORMS for one in told if form in one.out + one.err]
    assert "test_it[‹masked environment›]" in ran.out
    (desk.project / "test_it.py").unlink()
    assert not spilled(desk.project.parent)


def test_what_is_withheld_is_told_with_what_gives_it(desk: Desk) -> None:
    desk = prepared(desk)
    (desk.project / "test_it.py").write_text("import os\ndef test_it():\n    os.environ['PLANTED_TOKEN']\n")
    id = desk.create("--proof", "none", "--test-command", COMMAND)
    desk.run("tasks", id, "add", "Look", "--tool", "bash", "--command", "env > seen; true")
    ran = desk.run("run", "--loop-id", id, "--auto", "--max-iterations", "6")
    assert "withheld as secrets from commands" in ran.out + ran.err
    assert "PLANTED_TOKEN" not in (desk.project / "seen").read_text()
    (results,) = (desk.project / ".workflow").rglob("test-results.json")
    (failed,) = json.loads(results.read_text())["test_results"]
    assert "PLANTED_TOKEN (see setting pass_env)" in failed["error_message"]
