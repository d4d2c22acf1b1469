"""Mutants of some lines, made and tried by cosmic-ray. Runs in an environment of its own that has it:

    python cosmic_mutants.py ORDER ANSWER

ORDER (JSON): `session` of cosmic-ray, `lines` by file, `most`, `command` that runs the tests, `seconds` for one run.
ANSWER: a list of `file`, `line`, `operator`, the whole mutated `text`, and whether it was `killed`.
"""

import json
import sys
from pathlib import Path

from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db


def main() -> None:
    order = json.loads(Path(sys.argv[1]).read_text())
    lines = {Path(file): set(numbers) for file, numbers in order["lines"].items()}
    with use_db(order["session"], WorkDB.Mode.open) as known:
        every = [spec for item in known.work_items for spec in item.mutations]
    specs = sorted(
        (spec for spec in every if spec.start_pos[0] in lines[spec.module_path]),
        key=lambda spec: (str(spec.module_path), spec.start_pos, spec.operator_name, spec.occurrence),
    )
    step = max(1.0, len(specs) / order["most"])
    told = []
    for spec in [specs[int(n * step)] for n in range(min(len(specs), order["most"]))]:
        operator = get_operator(spec.operator_name)(**spec.operator_args)
        text = mutate_code(spec.module_path.read_bytes().decode(), operator, spec.occurrence)
        result = mutate_and_test([spec], order["command"], order["seconds"])
        told.append({
            "file": str(spec.module_path), "line": spec.start_pos[0], "operator": spec.operator_name, "text": text,
            "killed": result.is_killed,
        })  # fmt: skip
    Path(sys.argv[2]).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
