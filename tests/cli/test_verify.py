"""`verify`: what somebody changed of a run is named, and a run's result can be checked elsewhere."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from loopwright.core.errors import ExitCode, Invalid
from loopwright.wiring.attestation import load_signing_key, open_attestation, public_pem, sign_statement
from tests.cli.conftest import Desk
from tests.store.tampering import Files, put, succeed_everywhere

STATEMENT = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": "p", "digest": {"gitTree": "6ae54cb05517a470c0060e35eebb910ab89fcd85"}}],
    "predicateType": "urn:loopwright:attestation:run:v1",
    "predicate": {"result": {"status": "completed", "outcome": "succeeded"}},
}


def commit_all(desk: Desk) -> None:
    for command in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=desk.project, env=desk.env, check=True)


def succeeded(desk: Desk) -> str:
    """A loop that has mended what was wrong."""
    (desk.project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (desk.project / "test_calc.py").write_text(
        "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
        "def test_zero():\n    assert add(0, 0) == 0\n"
    )
    (desk.project / ".gitignore").write_text("__pycache__\n.pytest_cache\n")
    subprocess.run(["git", "init", "-q"], cwd=desk.project, env=desk.env, check=True)
    commit_all(desk)
    ran = desk.run("run", "make the tests pass", "--auto", "--agent", "builtin", "--json")
    assert ran.code == 0, ran.err
    return str(ran.lines[-1]["loop_id"])


def test_a_whole_run(desk: Desk, tmp_path: Path) -> None:
    """From the run to a check of its result in another clone, and everything that can be changed on the way."""
    id = succeeded(desk)
    ran = desk.run("verify", id, "--export", f"{tmp_path}/a.json", "--public-key", f"{tmp_path}/k.pem")
    assert (ran.code, ran.err) == (0, "")
    assert f"{id} verifies: " in ran.out
    statement = open_attestation((tmp_path / "a.json").read_bytes(), (tmp_path / "k.pem").read_bytes())
    assert statement["predicate"]["result"] == {"status": "completed", "outcome": "succeeded"}
    assert statement["predicate"]["request"]["description"] == "make the tests pass"
    commit_all(desk)
    checked = ("verify", "--attestation", f"{tmp_path}/a.json", "--key", f"{tmp_path}/k.pem")
    assert desk.run(*checked).code == 0
    right, wrong = (desk.run(*checked, "--tree", rev, "--json") for rev in ("HEAD", "HEAD~1"))
    assert (right.code, wrong.code) == (0, 1)
    Files(desk.project, id).append(put("/engine/answer", "yes"))
    found = desk.run("verify", id, "--json")
    assert found.code == ExitCode.DAMAGED
    assert "does not verify" in json.loads(found.out)["data"]["findings"][0]
    assert desk.run("verify", id, "--export", f"{tmp_path}/b.json").code == ExitCode.DAMAGED
    assert not (tmp_path / "b.json").exists()
    assert desk.run("verify", id, "--accept").code == 0
    assert "journal_accepted" in desk.run("show", id, "--json").out


def test_a_forged_success_is_not_shown(desk: Desk) -> None:
    id = str(json.loads(desk.run("create", "x", "--json").out)["data"]["loop_id"])
    succeed_everywhere(Files(desk.project, id))
    shown = json.loads(desk.run("show", id, "--json").out)["data"]
    assert (shown["status"], shown["engine"]["outcome"]) == ("created", None)
    assert [one["kind"] for one in shown["engine"]["incidents"]] == ["journal_forged"]
    (listed,) = json.loads(desk.run("list", "--json").out)["data"]
    assert listed["status"] == "created"


def test_a_damaged_checkpoint(desk: Desk) -> None:
    id = succeeded(desk)
    commit = json.loads(desk.run("show", id, "--json").out)["data"]["engine"]["checkpoints"][-1]["commit"]
    (git,) = Path(desk.env["XDG_STATE_HOME"]).glob("loopwright/*.git")
    (git / "objects" / commit[:2] / commit[2:]).unlink()
    ran = desk.run("verify", id)
    assert ran.code == ExitCode.DAMAGED
    assert f"its commit {commit[:12]} is missing" in ran.out


def test_any_change_of_an_attestation_is_found(tmp_path: Path) -> None:
    key = load_signing_key(tmp_path)
    whole, chance = sign_statement(STATEMENT, key), random.Random(3)
    assert open_attestation(whole, public_pem(key)) == STATEMENT
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        if data.split() != whole.split():
            with pytest.raises(Invalid):
                open_attestation(bytes(data), public_pem(key))


def test_another_key_has_not_signed_it(tmp_path: Path) -> None:
    ours, other = load_signing_key(tmp_path / "a"), load_signing_key(tmp_path / "b")
    with pytest.raises(Invalid, match="not signed by that key"):
        open_attestation(sign_statement(STATEMENT, other), public_pem(ours))


def test_what_is_signed_has_the_form_of_dsse(tmp_path: Path) -> None:
    """https://github.com/secure-systems-lab/dsse: the signature is over this encoding of the payload."""
    from base64 import b64decode

    key = load_signing_key(tmp_path)
    envelope = json.loads(sign_statement(STATEMENT, key))
    assert set(envelope) == {"payload", "payloadType", "signatures"}
    payload = b64decode(envelope["payload"])
    signed = b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload)
    key.public_key().verify(b64decode(envelope["signatures"][0]["sig"]), signed)


@pytest.mark.parametrize(
    "given", [("--key", "k"), ("--attestation", "a"), (), ("x", "--attestation", "a", "--key", "k"), ("--accept",)]
)
def test_wrong_usage(desk: Desk, given: tuple[str, ...]) -> None:
    assert desk.run("verify", *given).code == ExitCode.USAGE
