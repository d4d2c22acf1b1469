#!/usr/bin/env python3
"""Check the hard limits of label files; exit code 1 when one is broken."""
import pathlib
import re
import sys

LIMITS = {"object": 60, "section": 90}


def problems(path: pathlib.Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    if not lines:
        return ["empty"]
    found = []
    title = lines[0].strip("* ")
    if len(title) > 40:
        found.append(f"title has {len(title)} characters, at most 40")
    text = lines[2] if len(lines) > 2 else ""
    kind = "section" if path.name.startswith("section-") else "object"
    words = len(text.split())
    if words > LIMITS[kind]:
        found.append(f"{words} words, at most {LIMITS[kind]}")
    for sentence in re.split(r"[.!?]\s", text):
        if len(sentence.split()) > 25:
            found.append(f"sentence over 25 words: {sentence[:50]}…")
    return found


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    bad = 0
    for path in sorted(folder.glob("*.md")):
        for problem in problems(path):
            bad = 1
            print(f"{path.name}: {problem}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
