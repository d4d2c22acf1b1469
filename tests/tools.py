"""Which tools of other languages this machine has."""

import functools
import subprocess


@functools.cache
def runs(*command: str) -> bool:
    """Whether the program is there and does this; a version manager's stand-in may have nothing behind it."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
