"""Render the accepted units and the assessment of a run into module.md."""

import json
import sys
from pathlib import Path


def unit_text(unit):
    lines = [f"## {unit['title']} ({unit['minutes']} min)", "", f"**Outcome.** {unit['outcome']}", ""]
    lines += [f"- Safety: {line}" for line in unit["safety"]]
    lines += ["- You need: " + ", ".join(unit["materials"]), ""]
    for number, step in enumerate(unit["steps"], 1):
        lines.append(f"{number}. *{step['kind']}, {step['minutes']} min.* {step['text']}")
    return "\n".join(lines)


def main(folder):
    root = Path(folder)
    state = json.loads((root / "state.json").read_text(encoding="utf-8"))
    accepted = [unit for unit in state["units"] if unit["status"] == "accepted"]
    parts = ["# Module", ""]
    for entry in accepted:
        path = root / "units" / f"{entry['id']}.json"
        try:
            parts += [unit_text(json.loads(path.read_text(encoding="utf-8"))), ""]
        except (OSError, ValueError, KeyError) as problem:
            print(f"{path}: {problem}")
            return 1
    parts.append((root / "assessment.md").read_text(encoding="utf-8"))
    (root / "module.md").write_text("\n".join(parts), encoding="utf-8")
    print(f"{len(accepted)} units, {sum(unit['minutes'] for unit in accepted)} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
