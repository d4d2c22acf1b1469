"""Stores a project for each telling situation of a loop, a cycle and a tuning session, made by the present version.

`python -m tests.golden.stored_runs` writes the folder of this version. What is there is never written anew: every
version has to open what the earlier ones have stored, and to go on with it.
"""

import sys
import tempfile
from pathlib import Path

from loopwright import __version__
from tests.golden.stored import FOLDER, LINES, Json, Place, packed, unpacked
from tests.golden.stored_cases import CASES, Case, Made

SHOWN = {
    "loop": (("diff", "{id}"), ("logs", "{id}", "changes.log")),
    "cycle": (("cycle", "diff", "{id}"), ("cycle", "documents", "{id}"), ("cycle", "documents", "{id}", "ra/{doc}")),
    "tuning": (("tunings", "diff", "{id}"), ("tunings", "report", "{id}")),
}
"""What is looked at beside the list, the page and the logs."""
DOCUMENT = "requirements.md"


def stored(case: Case) -> bytes:
    """The archive of one case. It is looked at as the tests will: laid out again, somewhere else."""
    with tempfile.TemporaryDirectory(prefix="made-") as made, tempfile.TemporaryDirectory(prefix="look-") as look:
        place = Place.in_folder(Path(made))
        found = case(place)
        laid_out, _ = unpacked(packed(place), Path(look), made_at=str(place.root))
        return packed(place, {**found._asdict(), "told": told(laid_out, found)})


def told(place: Place, made: Made) -> Json:
    """What every command that looks says of it."""
    line = LINES[made.kind]
    usual = ((*line, "list"), (*line, "show", "{id}"), (*line, "logs", "{id}"), (*line, "logs", "{id}", "events"))
    words = [[word.format(id=made.id, doc=DOCUMENT) for word in one] for one in (*usual, *SHOWN[made.kind])]
    return [{"words": one, **place.look(*one)._asdict()} for one in words]


def main(wanted: list[str]) -> None:
    folder = FOLDER / __version__
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        file = folder / f"{name}.tar.gz"
        if (wanted and name not in wanted) or file.exists():
            continue
        file.write_bytes(stored(case))
        print(f"{file.relative_to(FOLDER.parent)}: {file.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
