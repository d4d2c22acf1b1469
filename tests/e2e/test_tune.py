"""The real command on real skills: diagnosed, mended, verified, and put back byte for byte."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from tests.warm import run_command

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "tune" / "samples"
Document = dict[str, Any]  # Any: parsed JSON


class Shop:
    """A project with skills, and the command in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LOOPWRIGHT_")},
            "XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder / "home"),
        }  # fmt: skip
        (folder / "home").mkdir()

    def skill(self, sample: str, kind: str = "sick", name: str | None = None) -> str:
        """Its path, from the project."""
        path = f".claude/skills/{name or sample}"
        shutil.copytree(SAMPLES / sample / kind, self.root / path)
        return path

    def run(self, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
        return run_command(words, cwd=self.root, env={**self.environment, **env}, seconds=240)

    def document(self, *words: str) -> tuple[int, Document]:
        ran = self.run(*words, "--format", "json")
        assert ran.stdout, ran.stderr
        return ran.returncode, json.loads(ran.stdout)

    def bytes_of(self, path: str) -> dict[str, bytes]:
        folder = self.root / path
        return {
            str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
        }


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def fixed(sample: str) -> dict[str, bytes]:
    folder = SAMPLES / sample / "fixed"
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_sick_skill_is_diagnosed_mended_verified_and_put_back(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    before = shop.bytes_of(skill)

    told = shop.run("tune", skill, "the reviewer gets too much")
    assert "wrong-tool" in told.stdout
    assert f"loopwright tune {skill} --fix" in told.stdout
    assert shop.bytes_of(skill) == before, "a diagnosis only reads"

    mended = shop.run("tune", skill, "--fix")
    assert mended.returncode == 0, mended
    assert "1 of 1 fix applied and verified" in mended.stdout
    assert "+   const answer = AskUserQuestion({" in mended.stdout, "every fix's diff is shown"
    assert shop.bytes_of(skill) == fixed("wrong-tool")

    again = shop.run("tune", skill, "--fix")
    assert "FIX-" not in again.stdout, "a second run proposes nothing"

    back = shop.run("tune", skill, "--rollback", "FIX-001")
    assert back.returncode == 0, back
    assert shop.bytes_of(skill) == before
    twice = shop.run("tune", skill, "--rollback", "FIX-001")
    assert (twice.returncode, "already rolled back" in twice.stderr) == (5, True)


def test_after_a_rollback_every_view_tells_what_is_so_now(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    shop.run("tune", skill, "--fix")
    _, document = shop.document("tune", skill, "--rollback", "FIX-001")
    id, score = document["tuning_id"], f"{document['quality_score']:g}"
    again, page = shop.run("tune", "--tuning-id", id), shop.run("tunings", "show", id).stdout
    assert f"score {score} (exact checks only)" in again.stdout
    assert "undone   FIX-001" in again.stdout
    assert f"→ {score}\n" in page
    assert "FIX-001  rolled back: " in page
    watched = shop.run("tunings", "watch", id).stdout
    assert "rolled back FIX-001" in watched
    assert "refused" not in watched


def test_what_no_fact_settles_is_left_to_an_agent(shop: Shop) -> None:
    skill = shop.skill("undeclared-tool")
    before = shop.bytes_of(skill)
    assert "--fix knows no repair for 2 findings" in shop.run("tune", "--fix", skill).stdout
    assert "Nothing was changed" not in shop.run("tune", skill).stdout, "nobody wanted a change"
    assert shop.bytes_of(skill) == before


def test_json_is_one_document_and_events_come_only_when_asked_for(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    code, document = shop.document("tune", skill, "--fix")
    assert code == 0
    (found,) = document["skills"]
    assert found["path"] == skill
    (fix,) = found["session"]["fixes"]
    assert (fix["verification"], fix["rollback_available"], fix["files"]) == ("pass", True, ["SKILL.md"])

    lines = [json.loads(line) for line in shop.run("tune", skill, "--json").stdout.splitlines()]
    assert [line["type"] for line in lines].count("rest") == 1
    last = lines[-1]
    assert (last["type"], last["success"], last["exit_code"]) == ("rest", True, 0)
    assert {line["data"]["step"] for line in lines if line["type"] == "step_finished"} >= {
        "action-init",
        "action-report",
    }


def test_a_folder_is_read_without_sessions_and_mended_only_where_something_is_wrong(shop: Shop) -> None:
    for sample, kind in (
        ("wrong-tool", "sick"),
        ("oversized-skill", "healthy"),
        ("deprecated-tool", "sick"),
    ):
        shop.skill(sample, kind)
    code, document = shop.document("tune", ".claude/skills")
    assert code in (0, 1)
    assert document["summary"]["skills"] == 3
    assert [skill["session"] for skill in document["skills"]] == [None] * 3
    assert not (shop.root / ".workflow" / ".scratchpad").exists() or not [
        *(shop.root / ".workflow/.scratchpad").iterdir()
    ]

    code, document = shop.document("tune", ".claude/skills", "--fix")
    sessions = {skill["path"]: skill["session"] for skill in document["skills"]}
    assert sessions[".claude/skills/oversized-skill"] is None
    assert shop.bytes_of(".claude/skills/wrong-tool") == fixed("wrong-tool")
    assert shop.bytes_of(".claude/skills/deprecated-tool") == fixed("deprecated-tool")


def test_sarif_names_files_from_the_project_wherever_the_command_is_called(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    shop.run("tune", skill, "--format", "sarif", "--output", "findings.sarif")
    (run,) = json.loads((shop.root / "findings.sarif").read_text())["runs"]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
    assert uris == {f"{skill}/SKILL.md"}
    assert (shop.root / next(iter(uris))).is_file()


def test_a_baseline_accepts_what_is_there_and_nothing_new(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    missing = shop.run("tune", skill, "--baseline", "known.json")
    assert (missing.returncode, "--update-baseline" in missing.stderr) == (4, True)
    known = ".loopwright/known.json"
    assert shop.run("tune", ".claude/skills", "--baseline", known, "--update-baseline").returncode == 0
    code, document = shop.document("tune", skill, "--baseline", known)
    (found,) = document["skills"]
    assert (code, found["findings"], found["suppressed"] > 0) == (0, [], True)
    assert [one["by"] for one in found["silenced"]] == ["baseline"] * found["suppressed"]

    shop.skill("undeclared-tool")
    _, document = shop.document("tune", ".claude/skills", "--baseline", known)
    assert [bool(one["findings"]) for one in document["skills"]] == [True, False]

    shutil.rmtree(shop.root / skill)
    shop.skill("wrong-tool", "fixed")
    gone = shop.run("tune", skill, "--baseline", known)
    assert "no longer occurs" in gone.stderr

    (shop.root / "notes.json").write_text("mine")
    assert shop.run("tune", skill, "--baseline", "notes.json", "--update-baseline").returncode == 2
    assert (shop.root / "notes.json").read_text() == "mine", "what is no baseline is not written over"


@pytest.mark.parametrize("moment", ["action-apply-fix", "applied FIX-001", '"action-verify"'])
def test_killed_in_the_middle_and_taken_up_by_its_id(shop: Shop, moment: str) -> None:
    skill = shop.skill("wrong-tool")
    runner = subprocess.Popen(
        [sys.executable, "-m", "loopwright", "tune", skill, "--fix", "--json"], cwd=shop.root, env=shop.environment,
        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    scratch = shop.root / ".workflow" / ".scratchpad"

    def reached() -> bool:
        files = [*scratch.glob("skill-tuning-*/state.events.ndjson"), *scratch.glob("skill-tuning-*/transcript.ndjson")]
        return any(moment in file.read_text() for file in files) or runner.poll() is not None

    until(reached)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    (id,) = (path.name for path in scratch.iterdir() if path.is_dir() and path.name.startswith("skill-tuning-"))
    ran = shop.run("tune", "--tuning-id", id)
    assert ran.returncode == 0, ran
    assert shop.bytes_of(skill) == fixed("wrong-tool")
    assert shop.run("tunings", "rollback", id, "FIX-001").returncode == 0
    assert shop.bytes_of(skill) == {
        str(file.relative_to(SAMPLES / "wrong-tool/sick")): file.read_bytes()
        for file in sorted((SAMPLES / "wrong-tool/sick").rglob("*")) if file.is_file()
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nowhere"], 4, "there is no file or folder"),
        (["."], 4, "a skill is a folder with a SKILL.md"),
        (["notes.txt"], 4, "belongs to no skill"),
        (["--files"], 2, "name at least one"),
        (["--files", "notes.txt", "gone.md"], 4, "there is no file or folder 'gone.md'"),
        ([], 2, "--installed"),
        ([".", "--focus", "speed"], 2, "context, memory, dataflow, agent"),
        ([".", "--fix=everything"], 2, "--fix=all"),
        ([".", "--format", "html"], 2, "text, json, sarif"),
        ([".", "--max-iterations", "0"], 2, "--max-iterations: must be from 1 to 1,000,000 (got 0)"),
        ([".", "--agent", "codex", "--max-cost", "-1"], 2, "--max-cost: must be greater than 0 (got -1.0)"),
        ([".", "--max-cost", "1"], 2, "name it with --agent"),
        ([".", "--max-tokens", "1"], 2, "name it with --agent"),
        ([".", "--fix=all"], 2, "name it with --agent"),
        ([".", "--yes"], 2, "--yes applies fixes"),
        ([".", "--update-baseline"], 2, "--baseline FILE"),
        (["--tuning-id", "skill-tuning-20260101T000000-00000000"], 4, "not found"),
        (["--rollback", "FIX-001"], 2, "--tuning-id"),
        (["--installed", "."], 2, "omit the paths"),
        (["--tuning-id", "skill-tuning-20260101T000000-00000000", "--fix"], 2, "omit the others"),
        ([".", "--update-baseline", "--baseline", "b.json", "--fix"], 2, "fix first"),
    ],
)
def test_what_can_not_be_is_one_clear_line(shop: Shop, words: list[str], code: int, told: str) -> None:
    (shop.root / "notes.txt").write_text("x")
    ran = shop.run("tune", *words)
    assert ran.returncode == code, ran
    assert told in ran.stderr
    assert (ran.stdout, len(ran.stderr.splitlines())) == ("", 1)


def test_errors_of_a_catalogue_are_told_before_anything_is_read(shop: Shop) -> None:
    skill = shop.skill("undeclared-tool")
    folder = shop.root / ".loopwright" / "catalogue"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("tols = 1\n")
    for place in (skill, ".claude/skills"):
        ran = shop.run("tune", place)
        assert (ran.returncode, "mine.toml: unknown key tols" in ran.stderr, ran.stdout) == (2, True, "")


def test_files_that_are_committed_stand_for_their_skills(shop: Shop) -> None:
    skill = shop.skill("wrong-tool")
    (shop.root / "README.md").write_text("x")
    ran = shop.run("tune", "--files", f"{skill}/SKILL.md", "README.md")
    assert "wrong-tool" in ran.stdout
    none = shop.run("tune", "--files", "README.md")
    assert (none.returncode, none.stdout.strip()) == (0, "no skill among these files")


def test_colours_only_where_somebody_sees_them_and_lines_that_fit(shop: Shop) -> None:
    skill = shop.skill("wrong-tool", name="审查 文档")
    for env in ({"COLUMNS": "50"}, {"COLUMNS": "50", "NO_COLOR": "1"}, {"COLUMNS": "50", "TERM": "dumb"}):
        ran = shop.run("tune", skill, **env)
        assert "\x1b" not in ran.stdout
        assert "审查 文档" in ran.stdout
        assert f"loopwright tune '{skill}' --fix" in ran.stdout, "what is to be typed can be copied"
        assert all(len(line) <= 60 or skill in line for line in ran.stdout.splitlines())


def test_a_session_that_was_left_is_taken_up_in_the_background(shop: Shop) -> None:
    """`tunings list`, `show`, `diff`, `report`, `stop` and `delete` on a session that has ended."""
    skill = shop.skill("wrong-tool")
    shop.run("tune", skill, "--fix")
    (listed,) = json.loads(shop.run("tunings", "list", "--json").stdout)["data"]
    id = listed["engine"]["id"]
    assert "pass" in shop.run("tunings", "list").stdout
    assert "FIX-001  applied and verified" in shop.run("tunings", "show", id).stdout
    assert "+   const answer = AskUserQuestion({" in shop.run("tunings", "diff", id).stdout
    assert shop.run("tunings", "report", id).stdout.startswith("# ")
    assert shop.run("tunings", "watch", id).returncode == 0
    assert shop.run("tunings", "stop", id).returncode == 5
    assert "is a tuning session, not a loop" in shop.run("show", id).stderr
    assert shop.run("tunings", "delete", id, "--yes").returncode == 0
    assert shop.run("tunings", "show", id).returncode == 4
