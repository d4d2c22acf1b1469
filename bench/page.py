"""How long a change takes from its commit to the screens of two browsers, and how often one is late.

    python bench/page.py [--json]

A terminal and one of the browsers change a loop; its own page and the list are looked at in two profiles of a real
Chromium. Taken is the time from the one in the journal line to the frame that shows it, in milliseconds.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser import delays
from tests.browser.chromium import Missing, chromium
from tests.browser.deeds import loop_page, new_loop
from tests.browser.served import Served, served
from tests.browser.visitor import Visitor, visiting

CHANGES = 40
LIMIT = 300.0


def measure() -> dict[str, dict[str, float]]:
    """`{screen: {p50, p95, worst, changes}}`."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        server.project("tests/samples/healthy")
        server.start()
        loop_id = new_loop(server, "Looked at", "--auto")
        with visiting(browser, server) as anna, visiting(browser, server) as ben:
            ben.open(loop_page(loop_id))
            ben.page.get_by_role("heading", level=1, name="Looked at").wait_for()
            screens = {"list": anna, "loop's page": ben}
            for one in screens.values():
                delays.observe(one.page)
            taken = rounds(server, screens, loop_id)
    return {name: figures(values) for name, values in taken.items()}


def rounds(server: Served, screens: dict[str, Visitor], loop_id: str) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in screens}
    journal = server.projects[0] / ".workflow" / ".loop" / f"{loop_id}.events.ndjson"
    for number in range(CHANGES):
        mark = f"Title {number} of the loop"
        for one in screens.values():
            delays.expect_mark(one.page, mark)
        if number % 2:
            server.call("edit", loop_id, "--title", mark)
        else:
            put(screens["list"], loop_id, mark)
        committed = delays.milliseconds(json.loads(journal.read_bytes().splitlines()[-1])["ts"])
        for name, one in screens.items():
            taken[name].append(delays.shown_at(one.page, mark) - committed)
    return taken


def put(who: Visitor, loop_id: str, title: str) -> None:
    """As the page does it."""
    who.page.evaluate(
        "([path, title]) => fetch(path, { method: 'PUT', headers: { 'content-type': 'application/json' },"
        " body: JSON.stringify({ title }) })",
        [f"/api/loops/v2/{loop_id}", title],
    )


def figures(values: list[float]) -> dict[str, float]:
    late = sum(value > LIMIT for value in values)
    p95 = delays.p95(values)
    return {"p50": statistics.median(values), "p95": p95, "worst": max(values), "late": late, "changes": len(values)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    try:
        found = measure()
    except Missing as missing:
        raise SystemExit(str(missing)) from None
    if given.json:
        print(json.dumps(found))
        return
    for name, f in found.items():
        print(
            f"{name:12} p95 {f['p95']:5.0f}  (at most {LIMIT:.0f})  p50 {f['p50']:.0f}  worst {f['worst']:.0f}"
            f"  late {f['late']:.0f} of {f['changes']:.0f}"
        )


if __name__ == "__main__":
    main()
