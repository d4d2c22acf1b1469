#!/usr/bin/env python3
"""Clean the tracks of a GPX file and report every point that was removed."""

import argparse
import csv
import math
import sys
import xml.etree.ElementTree as ET
from datetime import datetime

NS = "http://www.topografix.com/GPX/1/1"


def read_segments(path):
    try:
        root = ET.parse(path).getroot()
    except (ET.ParseError, OSError) as problem:
        print(f"{path}: {problem}", file=sys.stderr)
        sys.exit(3)
    segments, index = [], 0
    for segment in root.findall(".//{*}trkseg"):
        points = []
        for node in segment.findall("{*}trkpt"):
            when, ele = node.findtext("{*}time"), node.findtext("{*}ele")
            points.append(
                {
                    "index": index,
                    "lat": float(node.get("lat")),
                    "lon": float(node.get("lon")),
                    "ele": float(ele) if ele else None,
                    "time": datetime.fromisoformat(when.replace("Z", "+00:00")) if when else None,
                }
            )
            index += 1
        if points:
            segments.append(points)
    return segments


def metres(a, b):
    x = math.radians(b["lon"] - a["lon"]) * math.cos(math.radians((a["lat"] + b["lat"]) / 2))
    return 6371000 * math.hypot(x, math.radians(b["lat"] - a["lat"]))


def length(points):
    return sum(metres(a, b) for a, b in zip(points, points[1:]))


def seconds(a, b):
    return (b["time"] - a["time"]).total_seconds()


def drop_fast(points, limit, removed):
    kept = points[:1]
    for point in points[1:]:
        base = next((p for p in reversed(kept) if seconds(p, point) >= 5), kept[-1])
        span = max(seconds(base, point), 1)
        if metres(base, point) / span * 3.6 > limit:
            removed.append((point, "speed"))
        else:
            kept.append(point)
    return kept


def merge_pauses(points, radius, removed):
    kept, start = [], 0
    while start < len(points):
        end = start + 1
        while end < len(points) and metres(points[start], points[end]) <= radius:
            end += 1
        paused = points[start]["time"] and points[end - 1]["time"] and seconds(points[start], points[end - 1]) >= 120
        kept.append(points[start])
        if paused:
            removed += [(point, "pause") for point in points[start + 1 : end]]
            start = end
        else:
            start += 1
    return kept


def offset(point, a, b):
    k = math.cos(math.radians(a["lat"]))
    bx, by = (b["lon"] - a["lon"]) * k, b["lat"] - a["lat"]
    px, py = (point["lon"] - a["lon"]) * k, point["lat"] - a["lat"]
    whole = bx * bx + by * by
    t = max(0, min(1, (px * bx + py * by) / whole)) if whole else 0
    return math.radians(math.hypot(px - t * bx, py - t * by)) * 6371000


def simplify(points, tolerance, removed):
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        far = max(range(first + 1, last), key=lambda i: offset(points[i], points[first], points[last]), default=None)
        if far is not None and offset(points[far], points[first], points[last]) > tolerance:
            keep.add(far)
            stack += [(first, far), (far, last)]
    removed += [(point, "simplify") for i, point in enumerate(points) if i not in keep]
    return [point for i, point in enumerate(points) if i in keep]


def hide_ends(segments, distance, removed):
    for step in (1, -1):
        left = distance
        for segment in segments[::step]:
            while segment and left > 0:
                point = segment.pop(0 if step == 1 else -1)
                removed.append((point, "hidden"))
                left -= metres(point, segment[0 if step == 1 else -1]) if segment else 0
    return [segment for segment in segments if segment]


def smooth_heights(points):
    heights = []
    for point in points:
        near = [p["ele"] for p in points if p["ele"] is not None and metres(p, point) <= 15]
        heights.append(sum(near) / len(near) if near and point["ele"] is not None else point["ele"])
    for point, height in zip(points, heights):
        point["ele"] = height


def write_gpx(path, segments):
    ET.register_namespace("", NS)
    root = ET.Element(f"{{{NS}}}gpx", version="1.1", creator="clean_gpx")
    track = ET.SubElement(root, f"{{{NS}}}trk")
    for segment in segments:
        node = ET.SubElement(track, f"{{{NS}}}trkseg")
        for point in segment:
            item = ET.SubElement(node, f"{{{NS}}}trkpt", lat=f"{point['lat']:.6f}", lon=f"{point['lon']:.6f}")
            if point["ele"] is not None:
                ET.SubElement(item, f"{{{NS}}}ele").text = f"{point['ele']:.1f}"
            if point["time"]:
                ET.SubElement(item, f"{{{NS}}}time").text = point["time"].isoformat().replace("+00:00", "Z")
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def write_report(path, removed):
    with open(path, "w", newline="", encoding="utf-8") as handle:
        rows = csv.writer(handle)
        rows.writerow(["index", "time", "lat", "lon", "reason"])
        for point, reason in sorted(removed, key=lambda pair: pair[0]["index"]):
            rows.writerow([point["index"], point["time"] or "", point["lat"], point["lon"], reason])


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--out", default="clean.gpx")
    parser.add_argument("--report", default="removed.csv")
    parser.add_argument("--max-speed", type=float, default=15)
    parser.add_argument("--pause-radius", type=float, default=10)
    parser.add_argument("--simplify", type=float, default=3)
    parser.add_argument("--hide", type=float, default=0)
    parser.add_argument("--keep-ele", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args()


def describe(segments):
    points = [point for segment in segments for point in segment]
    jump = max((metres(a, b) for s in segments for a, b in zip(s, s[1:])), default=0)
    pauses = []
    for segment in segments:
        merge_pauses(segment, 10, pauses)
    print(f"points {len(points)}, length {sum(map(length, segments)) / 1000:.2f} km, largest jump {jump:.0f} m, in pauses {len(pauses)}")
    if points[0]["time"] and points[-1]["time"]:
        print(f"time {points[-1]['time'] - points[0]['time']}")


def main():
    args = options()
    segments = read_segments(args.source)
    if not segments:
        print(f"{args.source}: no track points", file=sys.stderr)
        return 3
    if args.max_speed and any(point["time"] is None for segment in segments for point in segment):
        print(f"{args.source}: points without time", file=sys.stderr)
        return 4
    describe(segments)
    if args.dry_run:
        return 0
    removed = []
    if args.max_speed:
        segments = [drop_fast(segment, args.max_speed, removed) for segment in segments]
    if args.pause_radius:
        segments = [merge_pauses(segment, args.pause_radius, removed) for segment in segments]
    if not args.keep_ele:
        for segment in segments:
            smooth_heights(segment)
    if args.hide:
        segments = hide_ends(segments, args.hide, removed)
    if args.simplify:
        segments = [simplify(segment, args.simplify, removed) for segment in segments]
    write_gpx(args.out, segments)
    write_report(args.report, removed)
    if segments:
        describe(segments)
    else:
        print("nothing left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
