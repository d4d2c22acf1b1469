"""What examples/fleet holds is taken by the programs that it is for, and what it calls is there."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopwright.core.config import FleetSettings
from tests.command_lines import calls_of, parse_call, strange_variables

FOLDER = Path(__file__).parents[2] / "examples" / "fleet"
FILES = sorted(path.name for path in FOLDER.iterdir())
SCHEMAS = {"compose.yaml": "compose-spec", "github-worker.yml": "github-workflows", "gitlab-worker.yml": "gitlab-ci"}
PACKAGES = {"docker-compose": "docker-compose", "systemd-analyze": "systemd", "promtool": "prometheus"}


def ask(program: str, *words: str, folder: Path = FOLDER) -> str:
    """What a program that everybody has who runs all tests has said."""
    found = shutil.which(program)
    assert found, f"the examples are tried with {program}, which is not here: apt-get install {PACKAGES[program]}"
    done = subprocess.run([found, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def load(name: str) -> Any:  # Any: as the file has it
    return yaml.safe_load((FOLDER / name).read_text())


def arguments() -> list[list[str]]:
    """What is called in another way than by a line of a script."""
    (container,) = load("worker-job.yaml")["spec"]["template"]["spec"]["containers"]
    services = load("compose.yaml")["services"].values()
    words = re.findall(r"^CMD (.*)$", (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
    commands = [[re.sub(r"\$\{.*", "secret", word) for word in one["command"]] for one in services if "command" in one]
    return [container["args"], *commands, *map(json.loads, words)]


def test_every_call_is_one_that_the_command_line_takes() -> None:
    calls = [call for name in FILES for call in calls_of((FOLDER / name).read_text())]
    assert len(calls) >= 4
    for call in [*calls, *arguments()]:
        parse_call(call)
    with pytest.raises(Exception, match="No such option"):
        parse_call(["fleet", "worker", "--drains"])


def test_every_variable_is_one_that_a_setting_reads() -> None:
    assert strange_variables("\n".join((FOLDER / name).read_text() for name in FILES)) == set()
    assert strange_variables("LOOPWRIGHT_FLEET_URLS") == {"LOOPWRIGHT_FLEET_URLS"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_what_its_schema_says(name: str) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{SCHEMAS[name]}"]
    done = subprocess.run([*words, str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_reads_its_file(tmp_path: Path) -> None:
    for name in ("compose.yaml", "Dockerfile"):
        shutil.copy(FOLDER / name, tmp_path)
    for name in ("loopwright.toml", "git-credentials"):
        (tmp_path / name).touch()
    (tmp_path / ".env").write_text("DATABASE_PASSWORD=sesame\nSERVER_TOKEN=open\n")
    read = yaml.safe_load(ask("docker-compose", "--file", "compose.yaml", "config", folder=tmp_path))
    worker, database = read["services"]["worker"], read["services"]["database"]
    assert worker["environment"]["LOOPWRIGHT_FLEET_URL"] == "postgresql://loopwright:sesame@database/loopwright"
    assert database["environment"] == {f"POSTGRES_{key}": value for key, value in zip(
        ("USER", "PASSWORD", "DB"), ("loopwright", "sesame", "loopwright"), strict=True
    )}  # fmt: skip
    assert worker["deploy"]["replicas"] == 2
    (tmp_path / ".env").write_text("")
    with pytest.raises(AssertionError, match=r"put it into \.env"):
        ask("docker-compose", "--file", "compose.yaml", "config", folder=tmp_path)


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    text = (FOLDER / "loopwright-worker.service").read_text()
    (tmp_path / "loopwright-worker.service").write_text(
        text.replace("/opt/loopwright/bin/loopwright", shlex.quote(sys.executable))
    )
    ask("systemd-analyze", "verify", "--man=no", "loopwright-worker.service", folder=tmp_path)
    (tmp_path / "loopwright-worker.service").write_text(text)
    with pytest.raises(AssertionError, match="not executable"):
        ask("systemd-analyze", "verify", "--man=no", "loopwright-worker.service", folder=tmp_path)


def test_the_job_has_what_kubernetes_asks_of_one() -> None:
    """No schema of it is small enough to have here: what is required, and what its parts say of each other."""
    job = load("worker-job.yaml")
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert job["spec"].keys() == {"parallelism", "backoffLimit", "ttlSecondsAfterFinished", "template"}
    pod = job["spec"]["template"]["spec"]
    assert pod["restartPolicy"] in ("OnFailure", "Never")
    (container,) = pod["containers"]
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
    assert "--drain" in container["args"]


def test_the_keys_of_the_settings_are_there() -> None:
    named = {key for name in FILES for key in re.findall(r"\[fleet\.(\w+)", (FOLDER / name).read_text())}
    assert named <= FleetSettings.model_fields.keys()


def test_each_alert_tells_what_it_is_for(tmp_path: Path) -> None:
    ask("promtool", "check", "rules", "alerts.yaml")
    shutil.copy(FOLDER / "alerts.yaml", tmp_path)
    fleet = 'loopwright_fleet_{}{{project="p"{}}}'.format
    team, spent = ', account="team"', ', account="spent"'
    waits = ', account="team", status="queued"'
    bad = {
        fleet("up", ""): "1x10 0x200", fleet("workers", ""): "2x30 1x30 0x200", fleet("runs", waits): "5x300",
        fleet("oldest_beat_seconds", ""): "1x20 9x20 900x200", fleet("troubled", team): "0x20 3x200",
        fleet("oldest_queued_seconds", team): "0+60x300", fleet("oldest_queued_seconds", spent): "0+60x300",
        fleet("account_closed", team): "0x300", fleet("account_closed", spent): "1x300",
    }  # fmt: skip
    good = {
        fleet("up", ""): "1x300", fleet("workers", ""): "2x300", fleet("runs", waits): "5x300",
        fleet("oldest_beat_seconds", ""): "1x300", fleet("troubled", team): "0x300",
        fleet("oldest_queued_seconds", team): "60x300", fleet("account_closed", team): "0x300",
    }  # fmt: skip
    rules = load("alerts.yaml")["groups"][0]["rules"]
    at = {"FleetLostWorkers": 55, "FleetBeatsLate": 35, "FleetQueueStands": 90, "FleetRunsFail": 40}
    of = {"FleetQueueStands": "team", "FleetAccountClosed": "spent", "FleetRunsFail": "team"}
    tests = [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [
                {
                    "expr": f'count by (account) (ALERTS{{alertname="{rule["alert"]}", alertstate="firing"}})',
                    "eval_time": f"{at.get(rule['alert'], 100)}m",
                    "exp_samples": [{"labels": labels(of.get(rule["alert"])), "value": 1}] if series is bad else [],
                }
                for rule in rules
            ],
        }
        for series in (bad, good)
    ]
    (tmp_path / "tests.yaml").write_text(
        yaml.safe_dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": tests})
    )
    ask("promtool", "test", "rules", "tests.yaml", folder=tmp_path)


def labels(account: str | None) -> str:
    return f'{{account="{account}"}}' if account else "{}"
