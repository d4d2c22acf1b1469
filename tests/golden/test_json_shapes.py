"""What programs read of the command line: every key of its JSON with its types. A change here has to be meant.

`python -m tests.golden.test_json_shapes` writes the files anew.
"""

import difflib
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from loopwright import __version__
from tests.golden.stored import FOLDER as STORED
from tests.golden.stored import LINES, Json, Place, unpacked

FOLDER = Path(__file__).parent / "json_shapes"
NAMED = re.compile(r"[^a-zA-Z_]|^(app|ra|ep|cd|vas)$")
"""Keys that are no names of ours but ids, paths, roles, tests and agents: one stands for all of its kind."""
FINDINGS = "tuning-waits-for-a-choice"
DOCUMENTS = {
    "config.txt": ("config", "show"),
    "config-origin.txt": ("config", "show", "--origin"),
    "doctor.txt": ("doctor", "--no-probe"),
}
MACHINE = "doctor.txt"
"""What is null in it depends on installed packages."""
NAMES = {"str": "string", "dict": "object", "list": "array", "NoneType": "null"}
Seen = dict[str, set[str]]


def shape(documents: Iterable[Json], *, typed: bool = True) -> str:
    """A line for each object in any of the documents: its keys, each with all types that stand there."""
    seen: Seen = defaultdict(set)
    for document in documents:
        _look(document, "", seen)
    objects: dict[str, list[str]] = defaultdict(list)
    for path, types in sorted(seen.items()):
        above, _, key = path.rpartition(".")
        kinds = types & {"object", "array"} if not typed else types
        objects[above].append(f"{key} {'|'.join(sorted(kinds))}".strip())
    return "".join(f"{path or '.'}: {', '.join(keys)}\n" for path, keys in sorted(objects.items()))


def _look(value: Json, path: str, seen: Seen) -> None:
    if path:
        seen[path].add(_type(value))
    if isinstance(value, dict):
        for key, one in value.items():
            _look(one, f"{path}.{'*' if NAMED.search(key) else key}".lstrip("."), seen)
    elif isinstance(value, list):
        for one in value:
            _look(one, f"{path}[]", seen)


def _type(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return NAMES[type(value).__name__]


def by_type(lines: Iterable[Json]) -> Iterator[Json]:
    """Lines below what tells them apart."""
    return ({str(one.get("type", one.get("kind", "line"))): one} for one in lines)


def without_state(line: Json) -> Json:
    """States are as they are shown; see those files."""
    return {**line, "data": "a state"} if line.get("type") == "rest" else line


@contextmanager
def laid_out(path: Path) -> Iterator[tuple[Place, Json]]:
    with tempfile.TemporaryDirectory(prefix="shapes-") as folder:
        yield unpacked(path.read_bytes(), Path(folder))


def shapes() -> dict[str, str]:
    """Every golden file by name. What is listed, shown, logged and run is that of all stored situations."""
    listed, shown, logged, events = ({kind: list[Json]() for kind in LINES} for _ in range(4))
    latest = sorted((STORED / __version__).iterdir())
    with ExitStack() as stack:
        found = {path.name.removesuffix(".tar.gz"): stack.enter_context(laid_out(path)) for path in latest}
        for place, contract in found.values():
            kind, id = contract["kind"], contract["id"]
            (listing,) = place.look(*LINES[kind], "list").lines
            (page,) = place.look(*LINES[kind], "show", id).lines
            assert listing["data"] == [page["data"]]
            listed[kind].append({**listing, "data": ["a state"]})
            shown[kind].append(page)
            logged[kind] += place.look(*LINES[kind], "logs", id).lines
            events[kind] += place.look(*LINES[kind], "logs", id, "events").lines
        place, _ = found[FINDINGS]
        told = {name: shape(place.look(*words).lines, typed=name != MACHINE) for name, words in DOCUMENTS.items()}
        told["tune.txt"] = shape(place.look("tune", "skills/travel", "--format", "json").lines)
        for kind, name in {"loop": "loop-paused-in-debug", "cycle": "cycle-torn-in-vas"}.items():
            place, contract = found[name]
            told[f"run-{kind}.txt"] = shape(
                by_type(map(without_state, place.expect(0, *contract["steps"][0][0]).lines))
            )
    for kind in LINES:
        told |= {
            f"list-{kind}.txt": shape(listed[kind]), f"show-{kind}.txt": shape(shown[kind]),
            f"logs-{kind}.txt": shape(by_type(logged[kind])), f"events-{kind}.txt": shape(by_type(events[kind])),
        }  # fmt: skip
    return told


@pytest.fixture(scope="module")
def now() -> dict[str, str]:
    return shapes()


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_shape(path: Path, now: dict[str, str]) -> None:
    golden = path.read_text(encoding="utf-8").splitlines()
    words = "\n".join(difflib.unified_diff(golden, now[path.name].splitlines(), "so far", "now", lineterm=""))
    assert not words, f"{path.name} has changed:\n{words}"


def test_every_shape_has_its_file(now: dict[str, str]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(now)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in shapes().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
