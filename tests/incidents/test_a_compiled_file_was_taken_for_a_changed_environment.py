"""Python wrote a compiled file while a loop's tests were judged: the file's first name was taken for a new package."""

from pathlib import Path

from loopwright.evidence.environment import Manifests
from loopwright.workspace.environment import compare_looks, look_at_environment


def test_the_name_under_which_it_is_written_is_no_change(tmp_path: Path) -> None:
    venv = tmp_path / ".venv"
    cache = venv / "lib/python3.11/site-packages/pkg/__pycache__"
    cache.mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("")
    before = look_at_environment(tmp_path, [".venv/"], "", ())
    assert before.roots
    (cache / "__init__.cpython-311.pyc.140016478538896").write_bytes(b"half of it")
    changed = compare_looks(tmp_path, before, look_at_environment(tmp_path, [".venv/"], "", ()), lambda: Manifests({}))
    assert not changed.unexplained
