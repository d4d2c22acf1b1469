#!/usr/bin/env python3
"""Grade a knitting pattern: pattern.json in, one CSV line per size and measurement out."""

import argparse
import csv
import json
import math
import sys

REQUIRED = ("name", "gauge", "repeat", "construction", "sample_size", "ease_cm", "sizes")
SIZE_FIELDS = ("name", "chest_cm", "length_cm", "armhole_cm")
CONSTRUCTIONS = ("pieces", "raglan")
TOLERANCE_CM = 2.0


def fail(message):
    print(f"pattern file: {message}", file=sys.stderr)
    sys.exit(2)


def load(path):
    try:
        with open(path, encoding="utf-8") as handle:
            pattern = json.load(handle)
    except (OSError, json.JSONDecodeError) as error:
        fail(str(error))
    missing = [field for field in REQUIRED if field not in pattern]
    if missing:
        fail("missing " + ", ".join(missing))
    if pattern["construction"] not in CONSTRUCTIONS:
        fail(f"construction must be one of {', '.join(CONSTRUCTIONS)}")
    if not pattern["gauge"].get("stitches") or not pattern["gauge"].get("rows"):
        fail("gauge must give stitches and rows per 10 cm")
    if pattern["repeat"].get("width", 0) < 1:
        fail("repeat.width must be 1 or more")
    for size in pattern["sizes"]:
        lacking = [field for field in SIZE_FIELDS if field not in size]
        if lacking:
            fail(f"size {size.get('name', 'without a name')} lacks {', '.join(lacking)}")
    if pattern["sample_size"] not in [size["name"] for size in pattern["sizes"]]:
        fail("sample_size is not among the sizes")
    return pattern


def to_repeat(count, width, edge):
    return math.floor(count / width + 0.5) * width + edge


def to_even(count):
    return math.floor(count / 2 + 0.5) * 2


def grade(pattern):
    per_stitch = 10 / pattern["gauge"]["stitches"]
    per_row = 10 / pattern["gauge"]["rows"]
    width, edge = pattern["repeat"]["width"], pattern["repeat"].get("edge", 0)
    for size in pattern["sizes"]:
        target = size["chest_cm"] + pattern["ease_cm"]
        stitches = to_repeat(target / per_stitch, width, edge)
        yield size, "chest", target, stitches, stitches * per_stitch
        for measure in ("length", "armhole"):
            target = size[f"{measure}_cm"]
            rows = to_even(target / per_row)
            yield size, measure, target, rows, rows * per_row


def warnings_for(rows):
    before = None
    for size, measure, target, count, actual in rows:
        if abs(actual - target) > TOLERANCE_CM:
            yield f"{size['name']}: {measure} is off by {actual - target:+.1f} cm"
        if measure == "chest":
            if before == count:
                yield f"{size['name']}: same number of stitches as the size before"
            before = count
        if measure == "armhole" and target > size["length_cm"] * 0.4:
            yield f"{size['name']}: armhole is more than two fifths of the length"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pattern")
    parser.add_argument("--out", default="graded.csv")
    options = parser.parse_args()
    rows = list(grade(load(options.pattern)))
    with open(options.out, "w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["size", "measure", "target_cm", "count", "actual_cm", "diff_cm"])
        for size, measure, target, count, actual in rows:
            writer.writerow([size["name"], measure, f"{target:.1f}", count, f"{actual:.1f}", f"{actual - target:+.1f}"])
    found = list(warnings_for(rows))
    for line in found:
        print(f"warning: {line}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
