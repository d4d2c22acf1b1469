"""Other programs edit random fields of the JSON file: nothing but commands' fields ever changes by it."""

import copy
import json
import random
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loopwright.core.run import STOPPED_BY_USER
from loopwright.core.state import EngineState
from loopwright.workflows.loop.commands import STATUS_REQUESTS
from loopwright.workflows.loop.model import LoopState
from tests.store.making import EDITED, ID, files_at, json_of, loop, tagging
from tests.store.tampering import VALIDATED, genuine

AT_FULL_SCALE = 6000
AT = "2026-01-22T10:00:00+08:00"
ANYTHING: tuple[Any, ...] = (  # JSON values
    None, True, 0, -1, 7, 2**70, 1e300, "", "x", "running", "paused", "completed", "failed", "created", "user_exit",
    "succeeded", AT, "2026-01-22T10:00:00", [], {}, ["x"], {"a": 1}, "é😀", VALIDATED, [VALIDATED],
)  # fmt: skip
BY_COMMANDS = {"rev", "digest", "journal_bytes", "incidents", "outcome", "waiting", "parked", "interrupt"}
LIKELY: tuple[tuple[str, Any], ...] = (
    ("status", "running"), ("status", "paused"), ("status", "failed"), ("status", "user_exit"), ("status", "completed"),
    ("title", "Theirs"), ("notes", "n"), ("max_iterations", 3), ("tags", ["theirs"]),
)  # fmt: skip
OWN = ("loop_id", "created_at", "current_iteration", "skill_state")
BEGINNINGS: tuple[dict[str, Any], ...] = (  # fields of a state
    {},
    {"status": "running", "skill_state": {"completed_actions": ["INIT"], "current_action": "develop"}},
    {"status": "paused", "skill_state": {}, "engine": {"waiting": {"question": "?", "since": AT}}},
    {"status": "user_exit", "current_iteration": 3},
    {"status": "failed", "completed_at": AT, "failure_reason": "r", "engine": {"outcome": "exhausted"}},
    {"status": "completed", "completed_at": AT, "engine": {"outcome": "succeeded"}},
)


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 six thousand edits, each of one to four fields."""
    counts: Counter[str] = Counter()
    edits = max(30, round(AT_FULL_SCALE * scale))
    while counts["edits"] < edits:
        with tempfile.TemporaryDirectory() as folder:
            _edit_for_a_while(Path(folder), chance, counts)
    return counts


def _edit_for_a_while(root: Path, chance: random.Random, counts: Counter[str]) -> None:
    with files_at(root) as store:
        store.create(loop(**chance.choice(BEGINNINGS)), actor="user")
        older = json_of(root).read_bytes()
        for _ in range(20):
            good = store.read(ID)
            doc = json.loads(older if chance.random() < 0.1 else json_of(root).read_bytes())
            before = copy.deepcopy(doc)
            for _ in range(chance.choice([1, 1, 2, 4])):
                _change(doc, chance)
            json_of(root).write_bytes(_written(doc, chance))
            counts["edits"] += 1
            after = store.update(ID, tagging("t"), actor="user", event=EDITED)
            _assert_lawful(good, after, before, doc)
            counts["put back"] += len(after.engine.incidents) > len(good.engine.incidents)
            counts["status taken in"] += after.status != good.status
            assert json.loads(json_of(root).read_bytes()) == after.model_dump(mode="json")
            older = json_of(root).read_bytes() if chance.random() < 0.2 else older


def _written(doc: Any, chance: random.Random) -> bytes:  # Any: parsed JSON
    if chance.random() < 0.2 and isinstance(doc.get("engine"), dict):
        return genuine(doc)
    return json.dumps(doc, indent=chance.choice([None, 2, 4])).encode()


def _change(doc: Any, chance: random.Random) -> None:  # Any: parsed JSON
    """One field somewhere gets another value, goes, or comes."""
    if chance.random() < 0.4:
        name, value = chance.choice(LIKELY)
        doc[name] = value
        return
    place = doc
    while chance.random() < 0.6:
        inner = [v for v in (place.values() if isinstance(place, dict) else place) if isinstance(v, dict | list) and v]
        if not inner:
            break
        place = chance.choice(inner)
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    key = chance.choice([*keys, "x_new"]) if isinstance(place, dict) else chance.choice(keys)
    if chance.random() < 0.15 and (key in keys):
        del place[key]
    else:
        place[key] = copy.deepcopy(chance.choice(ANYTHING))


def _assert_lawful(good: LoopState, after: LoopState, before: Any, doc: Any) -> None:  # Any: parsed JSON
    told = f"{before} became {doc}"
    for name in OWN:
        assert getattr(after, name) == getattr(good, name), (name, told)
    for name in set(EngineState.model_fields) - BY_COMMANDS:
        assert getattr(after.engine, name) == getattr(good.engine, name), (name, told)
    if after.status == good.status:
        assert (after.engine.outcome, after.completed_at, after.failure_reason) == (
            good.engine.outcome, good.completed_at, good.failure_reason
        ), told  # fmt: skip
        return
    assert (good.status, after.status) in STATUS_REQUESTS, told
    end = (after.engine.outcome, after.failure_reason)
    assert end == (("stopped", STOPPED_BY_USER) if after.status == "failed" else (None, None)), told
