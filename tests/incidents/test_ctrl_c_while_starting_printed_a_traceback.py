"""Ctrl-C in the first second, while modules are loaded, printed a traceback; a moment later it printed nothing."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MOMENTS = (
    "typing_extensions",
    "loopwright.surfaces.cli.options",
    "typer._click.core",
    "pydantic_core",
    "loopwright.store.files",
)
"""Modules after whose import the interrupt comes; the last ones are loaded by the command itself."""


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_one_word_and_the_documented_code(tmp_path: Path, moment: str, as_json: bool) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "loopwright", "list", *(["--json"] if as_json else [])]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.rpartition("|")[2].strip() == moment:
            process.send_signal(signal.SIGINT)
            break
    else:
        pytest.fail(f"{moment} was never imported")
    out, err = process.communicate(timeout=60)
    said = [line for line in err.splitlines() if not line.startswith("import time:")]
    if as_json:
        assert (json.loads(out), said) == ({"success": False, "error": "interrupted"}, [])
    else:
        assert (out, said) == ("", ["loopwright: interrupted"])
    assert process.returncode == 130


DURING_AN_EVAL = """
import signal
from loopwright import __main__
from loopwright.surfaces.cli import main

main.app = lambda **_: eval("signal.raise_signal(signal.SIGINT)")
__main__.main()
"""


def test_also_when_it_comes_during_an_eval(tmp_path: Path) -> None:
    """A library that was being loaded was in one, once: `python -m` said its word and died by the signal."""
    (tmp_path / "during_an_eval.py").write_text(DURING_AN_EVAL)
    done = subprocess.run(
        [sys.executable, "-m", "during_an_eval"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "loopwright: interrupted\n")
