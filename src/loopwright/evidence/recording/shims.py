"""Tools that cannot be told by a variable to report to us: recorded by a stand-in that lies first on the PATH."""

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopwright.core.private_files import read_regular

ASKED = "LOOPWRIGHT_SHIMS"
"""Environment variable without which a stand-in only becomes the tool: unset for what tests start."""

_SHIM = Path(__file__).parent / "loopwright_shim.py"


@dataclass(frozen=True)
class ToolRecording:
    """One call of a tool that ran tests.

    `exit_code`: None when it was killed, or its output could not be recorded whole; negative for a signal.
    `stem` is what the names of the files begin with that the tool was told to write.
    """

    tool: str
    args: tuple[str, ...]
    cwd: Path
    output: str
    errors: str
    exit_code: int | None
    stem: Path


def shim_environment(folder: Path, tools: Collection[str]) -> dict[str, str]:
    """Puts stand-ins for those of `tools` that there are first on the PATH; recordings go to `folder`."""
    bin = _prepared(folder)
    for tool in tools:
        if shutil.which(tool) is not None:
            _write_script(bin / tool, f'exec {shlex.quote(str(folder / "record"))} {tool} "$@"')
    known = os.environ.get("PATH", os.defpath)
    return {"PATH": os.pathsep.join([str(bin), known]), ASKED: "1"}


def restore_variables(folder: Path, before: Mapping[str, str | None]) -> None:
    """Makes tools give these variables (None: unset) back to what they start."""
    bin = _prepared(folder)
    order = {"bin": str(bin), "folder": str(folder), "restore": dict(before)}
    (folder / "order").write_text(json.dumps(order), encoding="utf-8")


def record_command(command: str, folder: Path, tools: Collection[str]) -> str:
    """The command, with every tool that it names by a path started through its stand-in."""
    names = "|".join(map(re.escape, tools))
    by_path = re.compile(rf"(?<![^\s;&|(])(?=[\w./~@%+-]*/(?:{names})(?:\s|$))")
    return by_path.sub(f"{shlex.quote(str(folder / 'record'))} ", command)


def read_recordings(folder: Path, tools: Collection[str]) -> Iterator[ToolRecording]:
    """All calls, in the order in which they began. Damaged notes are calls that did not end."""
    found = (path for path in folder.glob("*.json") if path.name.rsplit("-", 2)[0] in tools)
    for path in sorted(found, key=lambda path: path.name.rsplit("-", 2)[1].zfill(20)):
        try:
            note = json.loads(read_regular(path))
        except (OSError, ValueError):
            note = {}
        stem = path.with_suffix("")
        parts = [_read(Path(f"{stem}.{kind}")) for kind in ("out", "err")]
        is_whole = [len(part) for part in parts][: len(note.get("sizes", ()))] == note.get("sizes")
        output, errors = (part.decode("utf-8", "replace") for part in parts)
        yield ToolRecording(
            tool=note.get("tool", ""),
            args=tuple(note.get("args", ())),
            cwd=Path(note.get("cwd", "/")),
            output=output,
            errors=errors,
            exit_code=note["exit"] if is_whole else None,
            stem=stem,
        )


def _read(file: Path) -> bytes:
    try:
        return read_regular(file)
    except OSError:
        return b""


def read_start_time(folder: Path) -> int:
    """When the stand-ins were laid out, in nanoseconds: what a run writes is younger."""
    return (folder / "record").stat().st_ctime_ns


def _prepared(folder: Path) -> Path:
    """The folder of the stand-ins; what they share is made once."""
    bin = folder / "bin"
    if not bin.exists():
        bin.mkdir()
        words = shlex.join([sys.executable, "-I", "-S", str(_SHIM), str(folder / "order")])
        _write_script(folder / "record", f'exec {words} "$@"')
        restore_variables(folder, {})
    return bin


def _write_script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)
