"""The worker's answers to somebody who looks around: tests run again, statements ranked, a line watched."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from .baseline import measure, wanted
from .forks import Answer, ask_forked
from .localize import Location, rank
from .session import Driver, Outcome, collect_and, key_of
from .watch import Watch, compiled, inside, lines_of
from .zygote import Project

_TEST_SECONDS = 20.0  # for one test
_SHARE = 0.75  # of the time that is given; the rest ends what was begun, and answers
_LINES, _MESSAGE = 12, 1_200
_CODE = 200
_NEAR = 3


def ran(project: Project, order: Answer) -> Answer:
    """The chosen tests, run again; all that fail, where none were chosen."""
    return _asked(project, order, None)


def watched(project: Project, order: Answer) -> Answer:
    """The same, with a watch on one line; `probe` is the order for it."""
    asked = order["probe"]
    path = Path(order["tree"], asked["file"])
    try:
        lines = lines_of(str(path))
        expressions = compiled(asked["expressions"], lines.get(asked["line"], ""))
    except OSError:
        return {"refused": f"place: there is no file {asked['file']} in the project"}
    except SyntaxError as error:
        return {"refused": f"place: {asked['file']} is no valid Python: line {error.lineno}, {error.msg}"}
    except ValueError as error:
        return {"refused": str(error)}
    if trouble := _misplaced(asked["file"], asked["line"], asked["func"], lines):
        return {"refused": f"place: {trouble}"}
    watch = Watch(str(path), asked["line"], expressions, asked["hits"])
    code = path.read_text(encoding="utf-8", errors="replace").splitlines()[asked["line"] - 1].strip()
    func = _shown(lines[asked["line"]])
    more = {"code": code[:_CODE], "place": f"{asked['file']}:{func}:{asked['line']}"}
    answer = _asked(project, order, watch)
    if func == "<module>" and not any(test["reached"] for test in answer.get("tests", ())):
        answer["notes"] = [*answer["notes"], "a line outside of all functions runs when its file is imported"]
    return {**answer, **more}


def ranked(project: Project, order: Answer) -> Answer:
    """All statements that a failing test ran, most suspicious first; the first `limit` of them."""
    baseline = measure(project, order["tree"], order["failing"], order["seconds"] * _SHARE, Path(order["kept"]))
    if not baseline.keys:
        return {"refused": _none("; ".join(baseline.troubles))}
    found = rank(baseline.spectrum, baseline.sources, {(file, line) for file, line in order["changed"]})
    return {
        "statements": [_statement(n, one) for n, one in enumerate(found[: order["limit"]], start=1)],
        "total": len(found),
        "failing_tests": len(baseline.spectrum.failing),
        "passing_tests": len(baseline.spectrum.passing),
        "collected": len(baseline.keys),
        "notes": [*(one.words for one in baseline.broken), *baseline.troubles],
    }


def _statement(n: int, one: Location) -> Answer:
    return {
        "rank": n, "file": one.file, "line": one.line, "func": one.func, "code": one.code[:_CODE],
        "failing": len(one.failing), "passing": len(one.passing), "score": round(one.score, 3), "raised": one.frames,
    }  # fmt: skip


def _asked(project: Project, order: Answer, watch: Watch | None) -> Answer:
    seconds, began = order["seconds"], time.monotonic()
    answer = ask_forked(lambda: _run(project, order, watch, time.monotonic() + seconds * _SHARE), seconds)
    if answer is None:
        what = "the expressions, or the tests," if watch else "the tests"
        took = time.monotonic() - began
        late = took >= seconds
        within = round(seconds, 1)
        how = f"did not come to an end within {within:g}" if late else f"ended the interpreter after {took:.1f}"
        return {"refused": f"{what} {how} seconds; ask for fewer tests{'' if late else ', to see which does it'}"}
    return answer


def _run(project: Project, order: Answer, watch: Watch | None, deadline: float) -> Answer:
    """In a forked child. Tests that nobody named are told of only if they fail."""
    named: Sequence[str] = order["failing"]
    found: Answer = {"tests": [], "notes": []}
    counts: Counter[str] = Counter()

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        keys = [key_of(item, project.style) for item in items]
        if not keys:
            found["refused"] = _none("; ".join(driver.troubles))
        elif unknown := [name for name in named if not wanted(keys, [name])]:
            found["refused"] = _unknown(unknown, keys)
        if "refused" in found:
            return
        chosen = [items[n] for n in sorted({n for name in named for n in wanted(keys, [name])})] if named else items
        for n, (item, following) in enumerate(zip(chosen, [*chosen[1:], None], strict=True)):
            left = deadline - time.monotonic()
            if left <= 0:
                found["notes"].append(f"the time was over: {len(chosen) - n:,} of {len(chosen):,} tests were not run")
                break
            outcome = _one(driver, item, following, watch, min(_TEST_SECONDS, left))
            counts[outcome.status] += 1
            if named or outcome.status == "failed":
                found["tests"].append(_told(key_of(item, project.style), outcome, order["tree"], watch))

    driver = collect_and(loop, project.arguments, project.style, plain=False)
    if not driver.began:
        return {"refused": _none(driver.said)}
    return {**found, "counts": dict(counts), "notes": [*found["notes"], *driver.troubles]}


def _one(
    driver: Driver, item: pytest.Item, following: pytest.Item | None, watch: Watch | None, seconds: float
) -> Outcome:
    if watch is None:
        return driver.run(item, following, seconds, seconds)
    watch.begin()
    try:
        return driver.run(item, following, seconds, seconds)
    finally:
        watch.end()


def _told(key: str, outcome: Outcome, tree: str, watch: Watch | None) -> Answer:
    frames = [frame for frame in outcome.frames if inside(frame[0], tree)]
    file, line, func = frames[-1] if frames else ("", 0, "")
    lines = outcome.message.splitlines()[:_LINES]
    return {
        "test": key,
        "status": outcome.status,
        "error": outcome.error,
        "message": "\n".join(lines)[:_MESSAGE],
        "place": f"{file[len(tree) + 1 :]}:{line} in {func}" if frames else "",
        **({"reached": watch.reached, "hits": watch.hits} if watch else {}),
    }


def _none(why: str) -> str:
    return f"no tests were collected on the copy of the project{f': {why.strip()[-_MESSAGE:]}' if why.strip() else ''}"


def _unknown(names: Sequence[str], keys: Sequence[str]) -> str:
    return f"tests: none is called {names[0]!r}; the first of {len(keys):,} is {keys[0]!r}"


def _misplaced(file: str, line: int, func: str | None, lines: dict[int, str]) -> str | None:
    """What is wrong with a place, and where a probe could stand instead."""
    if line not in lines:
        near = sorted(sorted(lines, key=lambda one: abs(one - line))[:_NEAR])
        where = f"the nearest that do: {', '.join(map(str, near))}" if near else "the file has none that does"
        return f"nothing runs at line {line} of {file} ({where})"
    there = _shown(lines[line])
    if func is not None and _shown(func) != there and not there.endswith(f".{func}"):
        own = [number for number, name in lines.items() if f".{_shown(name)}".endswith(f".{func}")]
        better = f"; {func} has the lines {min(own)} to {max(own)}" if own else ""
        return f"line {line} of {file} lies in {there}, not in {func}{better}"
    return None


def _shown(func: str) -> str:
    return func.replace(".<locals>", "")
