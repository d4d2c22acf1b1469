"""Requests made up from the HTTP API's own description: every answer is one that is described, and none is 500."""

import os
import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.server.http_fuzzing import fuzz
from tests.server.office import opened_office

ROUNDS, EXAMPLES = 10, 8


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Answers by status."""
    answered: Counter[str] = Counter()
    before = os.environ.get("XDG_STATE_HOME")
    for _ in range(max(1, round(ROUNDS * scale))):
        with tempfile.TemporaryDirectory(prefix="loopwright-http-") as place:
            os.environ["XDG_STATE_HOME"] = str(Path(place, "state"))
            project = Path(place, "shop")
            project.mkdir()
            with opened_office(project) as office:
                answered += fuzz(office, chance, EXAMPLES)
    if before is None:
        os.environ.pop("XDG_STATE_HOME", None)
    else:
        os.environ["XDG_STATE_HOME"] = before
    return answered
