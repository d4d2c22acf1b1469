"""A diagnosis that tries edits: what they turn decides the rank, and is told; nothing else is done with them."""

from pathlib import Path

from loopwright.evidence.debugging import render_hypotheses
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.repair.localize import SuspectLocation, rerank_by_edits
from loopwright.repair.source import SourceText
from tests.repair.asking import diagnose

FILES = {
    "series.py": """def series(values, start):
    step = 2
    total = sum(value * value for value in values if value is not None) + start * start
    mean = total / max(1, len([value for value in values if value is not None]))
    text = ", ".join(str(value) for value in sorted(values, key=abs) if value is not None)
    return {"total": total, "mean": mean, "text": text, "next": start + step, "last": start - step}
""",
    "test_series.py": """from series import series

def test_next(): assert series([1, 2], 3)["next"] == 4
def test_last(): assert series([], 0)["last"] == -1
""",
}


def rank(hypotheses: tuple[Hypothesis, ...], line: int) -> int:
    points = [one.logging_point for one in hypotheses]
    return next(n for n, point in enumerate(points, start=1) if point.endswith(f":{line}"))


def test_the_place_where_an_edit_helps_comes_first(tmp_path: Path) -> None:
    plain = diagnose(tmp_path, FILES).hypotheses
    tried = diagnose(tmp_path, FILES, trials=400).hypotheses
    assert rank(tried, 2) == 1 < rank(plain, 2)
    evidence = tried[0].evidence or {}
    assert isinstance(evidence["candidates_that_turned_a_test"], int)
    assert evidence["candidates_that_turned_a_test"] >= 1
    assert "turned a failing test" in tried[0].description
    assert "small edits made a failing test pass" in render_hypotheses(tried)
    assert "candidates_tried" not in (plain[0].evidence or {})
    assert tried[0].status == "pending", "a trial is no verdict"


def test_the_same_trials_give_the_same_rank(tmp_path: Path) -> None:
    first, second = (diagnose(tmp_path, FILES, trials=150).hypotheses for _ in range(2))
    assert first == second


def test_no_test_to_judge_by_leaves_the_rank_as_it_is(tmp_path: Path) -> None:
    files = {
        "coin.py": "import random\n\ndef coin():\n    return random.random()\n",
        "test_coin.py": "import time\nfrom coin import coin\n\ndef test_coin(): assert coin() == str(time.time())\n",
    }
    assert diagnose(tmp_path, files, trials=50).hypotheses


def test_the_more_an_edit_helped_the_more_it_weighs() -> None:
    source = SourceText("m.py", "a = 1\nb = 2\nc = 3\nd = 4\n")
    places = [
        SuspectLocation("m.py", line, "<module>", "", 0.5, frozenset(), frozenset(), source.by_line[line], source)
        for line in (1, 2, 3, 4)
    ]
    ranked = rerank_by_edits(places, {"m.py:<module>:2": 1, "m.py:<module>:3": 2, "m.py:<module>:4": 3})
    assert [one.line for one in ranked] == [4, 3, 2, 1]
    assert [one.line for one in rerank_by_edits(places, {})] == [1, 2, 3, 4]
    assert all(0 <= one.score <= 1 for one in ranked)
