"""Running a command of ours for its result, in a process that does not outlive us."""

import asyncio
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.domain.errors import AgentError
from loopwright.ports import JobDone

_WIND_UP = 15.0  # seconds a job has to end what it has started, once nobody waits for it any more


async def run_job(command: Sequence[str], cwd: Path, seconds: float) -> JobDone:
    """See ports.Launcher.

    Its input stays open as long as we live: that it ends is how the job learns that we are gone, even by a kill.
    """
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=cwd, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            printed = await process.stdout.read()
            code = await process.wait()
    except TimeoutError:
        raise AgentError("timeout", f"it took longer than {seconds:.0f} s, and was ended") from None
    finally:
        await _ended(process)
    return JobDone(code, _last_object(printed))


async def _ended(process: asyncio.subprocess.Process) -> None:
    """A job whose input ends ends what it has started, and itself; one that does not is killed."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_WIND_UP):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()


def _last_object(printed: bytes) -> dict[str, Any]:  # Any: parsed JSON
    """Empty where it has printed none."""
    try:
        found = json.loads(printed.strip().rpartition(b"\n")[2])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
