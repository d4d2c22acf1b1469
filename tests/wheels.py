"""The wheel that is published, built from this source."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def built_wheel(place: Path) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (built,) = place.glob("*.whl")
    return built
