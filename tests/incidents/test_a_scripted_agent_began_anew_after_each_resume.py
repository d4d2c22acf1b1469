"""A script was played from its start after every resume: the second half of the work was never done."""

import json
from pathlib import Path

import pytest

from tests.real_command import Project
from tests.stage import said
from tests.waiting import until

TWO = said("INIT", tasks=[{"description": "Write the first"}, {"description": "Write the second"}])


def written(name: str, **more: object) -> dict[str, object]:
    """An answer that writes a module of that name, and its test."""
    test = f"from {name} import told\n\n\ndef test_{name}():\n    assert told() == '{name}'\n"
    files = {f"{name}.py": f"def told():\n    return '{name}'\n", f"test_{name}.py": test}
    return {"to": "DEVELOP", "text": said("DEVELOP"), "files": files, **more}


@pytest.mark.parametrize("ends", ["kill", "pause"])
def test_it_goes_on_after_the_last_answer_that_led_to_something(tmp_path: Path, ends: str) -> None:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    begun, go = tmp_path / "begun", tmp_path / "go"
    second = written("second", signals=str(begun), waits_for=[str(go)])
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": [{"text": TWO}, written("first"), second]}))
    _, created = project.call("create", "Write both", "--auto", "--agent", f"scripted:{script}")
    loop_id = created["loop_id"]
    runner = project.start("run", "--loop-id", loop_id, "--auto")
    until(begun.exists)
    if ends == "kill":
        runner.kill()
    else:
        project.call("pause", loop_id, "--now")
    runner.wait()
    go.touch()
    code, ended = project.call("run", "--loop-id", loop_id, "--auto")
    assert code == 0, ended
    assert all((project.root / name).exists() for name in ("first.py", "second.py"))
    begun_actions = [entry["event"] for entry in project.journal(loop_id) if entry["event"]["type"] == "action_started"]
    actions = [event["data"]["action"] for event in begun_actions]
    assert actions == ["INIT", "DEVELOP", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]
