"""Writes the table of rules into docs/tune.md, out of the detectors; with --check it only says whether it is right.

.venv/bin/python scripts/rules_table.py [--check]
"""

import sys
from pathlib import Path

from loopwright.skills.detectors import DETECTORS
from loopwright.skills.findings import DIMENSIONS

PAGE = Path(__file__).parent.parent / "docs" / "tune.md"
BEGIN, END = "<!-- rules:", "<!-- end of rules -->"


def table() -> str:
    """A row for each rule, by dimension and name."""
    rows = ["| rule | dimension | severity | what is wrong |", "|---|---|---|---|"]
    for dimension in DIMENSIONS:
        for rule in sorted((one for one in DETECTORS if one.dimension == dimension), key=lambda one: one.rule):
            weight = rule.severity if rule.confidence != "hint" else "hint"
            title = (rule.title[:1].upper() + rule.title[1:]).replace("|", "&#124;")
            rows.append(f"| `{rule.rule}` | {dimension} | {weight} | {title} |")
    return "\n".join(rows)


def filled(page: str) -> str:
    """The page with the table of today."""
    head, _, rest = page.partition(BEGIN)
    comment, tail = rest.partition("\n")[0], rest.partition(END)[2]
    return f"{head}{BEGIN}{comment}\n\n{table()}\n\n{END}{tail}"


def main() -> None:
    page = PAGE.read_text()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(filled(page))
    elif filled(page) != page:
        sys.exit("docs/tune.md has another table of rules than the detectors; run scripts/rules_table.py")


if __name__ == "__main__":
    main()
