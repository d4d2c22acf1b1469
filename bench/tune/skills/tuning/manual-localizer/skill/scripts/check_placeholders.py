"""Compare code, placeholders and link targets of a source and its translation."""

import argparse
import re
import sys
from pathlib import Path

FENCE = re.compile(r"```.*?```", re.S)
TOKENS = re.compile(r"`[^`\n]+`|\{\{[^}]*\}\}|\{[^}\s]*\}|%[sd]|\]\(([^)]+)\)")


def protected(text: str) -> list[str]:
    fences = FENCE.findall(text)
    rest = FENCE.sub("", text)
    return sorted(fences) + sorted(m.group(0) for m in TOKENS.finditer(rest))


def same(source: Path, target: Path) -> bool:
    if protected(source.read_text("utf-8")) == protected(target.read_text("utf-8")):
        return True
    print(f"differs: {source} / {target}")
    return False


def same_tree(source: Path, target: Path) -> bool:
    return all([same(p, target / p.relative_to(source)) for p in sorted(source.rglob("*.md"))])


def joined(segments: Path, source: Path) -> bool:
    import json

    parts: dict[str, list[tuple[int, str]]] = {}
    for row in json.loads((segments / "index.json").read_text("utf-8")):
        text = (segments / f"{row['seg_id']}.src.md").read_text("utf-8")
        parts.setdefault(row["file"], []).append((row["order"], text))
    good = True
    for name, rows in parts.items():
        if "".join(text for _, text in sorted(rows)) != (source / name).read_text("utf-8"):
            print(f"differs: {name}")
            good = False
    return good


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--tree", action="store_true")
    parser.add_argument("--joined", type=Path)
    parser.add_argument("--source", type=Path)
    args = parser.parse_args()
    if args.joined:
        return 0 if joined(args.joined, args.source) else 1
    source, target = args.paths
    return 0 if (same_tree if args.tree else same)(source, target) else 1


if __name__ == "__main__":
    sys.exit(main())
