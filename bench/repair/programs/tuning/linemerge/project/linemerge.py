"""Differences between texts, patches, and three-way merges."""

import re
from dataclasses import dataclass, field

NO_NEWLINE = "\\ No newline at end of file"
_HUNK_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: .*)?")


class PatchError(ValueError):
    """A patch that cannot be read or does not fit."""


@dataclass(frozen=True)
class Change:
    """Lines old[a1:a2] are replaced by new[b1:b2]."""

    a1: int
    a2: int
    b1: int
    b2: int


@dataclass
class Hunk:
    """Changes near to each other, with the unchanged lines around them.

    Starts count from 0; lines are pairs of " ", "-" or "+" and the text.
    """

    old_start: int
    new_start: int
    lines: list = field(default_factory=list)

    def old_lines(self):
        return [text for mark, text in self.lines if mark != "+"]

    def new_lines(self):
        return [text for mark, text in self.lines if mark != "-"]


def split(text):
    """Lines of a text with their line ends; only newline ends a line."""
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    if last:
        lines.append(last)
    return lines


def _comparer(ignore_case, ignore_space):
    """A function that makes equal what counts as equal."""

    def key(line):
        if ignore_space:
            line = " ".join(line.split())
        if ignore_case:
            line = line.casefold()
        return line

    return key


def matches(old, new):
    """Pairs of indexes of a longest common subsequence."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while (
        end < min(len(old), len(new)) - start
        and old[len(old) - 1 - end] == new[len(new) - 1 - end]
    ):
        end += 1
    rows = len(old) - start - end
    columns = len(new) - start - end
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            if old[start + i] == new[start + j]:
                best[i][j] = best[i + 1][j + 1] + 1
            else:
                best[i][j] = max(best[i + 1][j], best[i][j + 1])
    pairs = [(index, index) for index in range(start)]
    i = j = 0
    while i < rows and j < columns:
        if old[start + i] == new[start + j]:
            pairs.append((start + i, start + j))
            i += 1
            j += 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    for index in range(end, 0, -1):
        pairs.append((len(old) - index, len(new) - index))
    return pairs


def changes(old, new, ignore_case=False, ignore_space=False):
    """List of the changes that make new out of old, in order."""
    key = _comparer(ignore_case, ignore_space)
    pairs = matches([key(line) for line in old], [key(line) for line in new])
    found = []
    a = b = 0
    for i, j in pairs + [(len(old), len(new))]:
        if i > a or j > b:
            found.append(Change(a, i, b, j))
        a, b = i + 1, j + 1
    return found


def similarity(old, new):
    """Share of lines that two texts have in common, from 0 to 1."""
    total = len(old) + len(new)
    if total == 0:
        return 1.0
    return 2 * len(matches(old, new)) / total


def hunks(old, new, context=3, **options):
    """Hunks with context unchanged lines around the changes.

    Changes whose context would touch share one hunk.
    """
    groups = []
    for change in changes(old, new, **options):
        if groups and change.a1 - groups[-1][-1].a2 <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    found = []
    for group in groups:
        lead = min(context, group[0].a1)
        hunk = Hunk(group[0].a1 - lead, group[0].b1 - lead)
        position = hunk.old_start
        for change in group:
            hunk.lines += [(" ", line) for line in old[position:change.a1]]
            hunk.lines += [("-", line) for line in old[change.a1:change.a2]]
            hunk.lines += [("+", line) for line in new[change.b1:change.b2]]
            position = change.a2
        hunk.lines += [(" ", line) for line in old[position:position + context]]
        found.append(hunk)
    return found


def _range(start, count):
    """A range as a hunk head writes it; an empty one names the line before."""
    if count == 0:
        return f"{start},0"
    if count == 1:
        return str(start + 1)
    return f"{start + 1},{count}"


def unified(old_text, new_text, names=("old", "new"), context=3, **options):
    """A unified patch, empty where nothing differs."""
    found = hunks(split(old_text), split(new_text), context, **options)
    if not found:
        return ""
    out = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    for hunk in found:
        old_range = _range(hunk.old_start, len(hunk.old_lines()))
        new_range = _range(hunk.new_start, len(hunk.new_lines()))
        out.append(f"@@ -{old_range} +{new_range} @@\n")
        for mark, line in hunk.lines:
            out.append(mark + line)
            if not line.endswith("\n"):
                out.append("\n" + NO_NEWLINE + "\n")
    return "".join(out)


def parse_patch(patch):
    """Hunks of a unified patch for one file."""
    found = []
    missing_old = missing_new = 0
    for number, line in enumerate(split(patch), start=1):
        if line.rstrip("\n") == NO_NEWLINE:
            if not found or not found[-1].lines:
                raise PatchError(f"line {number}: nothing to mark")
            mark, text = found[-1].lines[-1]
            found[-1].lines[-1] = (mark, text.removesuffix("\n"))
            continue
        if missing_old or missing_new:
            mark = line[0]
            if mark == "\n":
                mark, line = " ", " \n"
            if mark not in " +-":
                raise PatchError(f"line {number}: unexpected {line.strip()!r}")
            found[-1].lines.append((mark, line[1:]))
            missing_old -= mark != "+"
            missing_new -= mark != "-"
            continue
        match = _HUNK_HEAD.fullmatch(line.rstrip("\n"))
        if match:
            counts = [1 if match[n] is None else int(match[n]) for n in (2, 4)]
            missing_old, missing_new = counts
            old_start = int(match[1]) - (1 if missing_old else 0)
            new_start = int(match[3]) - (1 if missing_new else 0)
            found.append(Hunk(old_start, new_start))
        elif found:
            raise PatchError(f"line {number}: unexpected {line.strip()!r}")
    if missing_old or missing_new:
        raise PatchError("patch ends inside a hunk")
    return found


def _find(lines, wanted, expected, floor):
    """Index where wanted lies in lines, nearest to expected, or None."""
    last = len(lines) - len(wanted)
    places = [
        place
        for place in range(floor, last + 1)
        if lines[place:place + len(wanted)] == wanted
    ]
    if not places:
        return None
    return min(places, key=lambda place: (abs(place - expected), place))


def apply_patch(text, patch, reverse=False):
    """The text after a patch; hunks may lie some lines off."""
    lines = split(text)
    done = []
    position = 0
    shift = 0
    for number, hunk in enumerate(parse_patch(patch), start=1):
        if reverse:
            before, after = hunk.new_lines(), hunk.old_lines()
            expected = hunk.new_start + shift
        else:
            before, after = hunk.old_lines(), hunk.new_lines()
            expected = hunk.old_start + shift
        place = _find(lines, before, expected, position)
        if place is None:
            raise PatchError(f"hunk {number} does not fit")
        shift += place - expected
        done += lines[position:place] + after
        position = place + len(before)
    return "".join(done + lines[position:])


@dataclass
class Merge:
    """Result of a three-way merge."""

    text: str
    conflicts: int

    @property
    def clean(self):
        return self.conflicts == 0


def _regions(base, ours, theirs):
    """Spans (base, ours, theirs) in turn stable and unstable, with a flag."""
    our_pairs = dict(matches(base, ours))
    their_pairs = dict(matches(base, theirs))
    anchors = [i for i in range(len(base)) if i in our_pairs and i in their_pairs]
    o = a = b = 0
    for i in anchors + [len(base)]:
        end_a = our_pairs[i] if i < len(base) else len(ours)
        end_b = their_pairs[i] if i < len(base) else len(theirs)
        if i > o or end_a > a or end_b > b:
            yield False, base[o:i], ours[a:end_a], theirs[b:end_b]
        if i < len(base):
            yield True, base[i:i + 1], ours[end_a:end_a + 1], theirs[end_b:end_b + 1]
        o, a, b = i + 1, end_a + 1, end_b + 1


def _closed(lines):
    """Lines of which also the last one ends in a newline."""
    if lines and not lines[-1].endswith("\n"):
        return lines[:-1] + [lines[-1] + "\n"]
    return lines


def merge(base, ours, theirs, labels=("ours", "theirs"), favour=None):
    """Merge two versions of a base text.

    Where both changed the same lines differently there is a conflict; favour
    ("ours" or "theirs") takes one side instead of marking it.
    """
    if favour not in (None, "ours", "theirs"):
        raise ValueError(f"cannot favour {favour!r}")
    out = []
    conflicts = 0
    for stable, old, one, two in _regions(split(base), split(ours), split(theirs)):
        if stable or one == two:
            out += one
        elif one == old:
            out += two
        elif two == old:
            out += one
        elif favour:
            out += one if favour == "ours" else two
        else:
            conflicts += 1
            lead, tail = _common_ends(one, two)
            out += one[:lead]
            out.append(f"<<<<<<< {labels[0]}\n")
            out += _closed(one[lead:len(one) - tail])
            out.append("=======\n")
            out += _closed(two[lead:len(two) - tail])
            out.append(f">>>>>>> {labels[1]}\n")
            out += one[len(one) - tail:]
    return Merge("".join(out), conflicts)


def _common_ends(one, two):
    """Numbers of equal lines at the start and at the end."""
    shorter = min(len(one), len(two))
    lead = 0
    while lead < shorter and one[lead] == two[lead]:
        lead += 1
    tail = 0
    while tail < shorter - lead and one[-1 - tail] == two[-1 - tail]:
        tail += 1
    return lead, tail
