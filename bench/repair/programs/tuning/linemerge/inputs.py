"""Random inputs for linemerge."""

import random

from linemerge import (
    PatchError, apply_patch, changes, hunks, matches, merge, parse_patch, similarity,
    split, unified,
)

LINES = ["a", "b", "c", "d", "A", "a  b", " a b", "", "--- x", "+++ y", "\\ z", "c\r", "é\x0cf",
         "u\u2028v", "ß", "SS"]


def _text(rng, most=9):
    text = "".join(rng.choice(LINES) + "\n" for _ in range(rng.randint(0, most)))
    return text if rng.random() < 0.7 else text[:-1]


def _edited(rng, text):
    lines = split(text)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        place = rng.randint(0, len(lines))
        act = rng.randrange(3)
        if act == 0:
            lines.insert(place, rng.choice(LINES) + "\n")
        elif lines and act == 1:
            del lines[place - 1]
        elif lines:
            lines[place - 1] = rng.choice(LINES) + "\n"
    text = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    return text if rng.random() < 0.8 else text[:-1]


def _long(rng):
    return "".join(f"{number % 7}{rng.choice('xyz')}\n" for number in range(rng.randint(10, 30)))


def _damaged(rng, patch):
    lines = patch.split("\n")
    if lines:
        place = rng.randrange(len(lines))
        act = rng.randrange(3)
        if act == 0:
            del lines[place]
        elif act == 1:
            lines.insert(place, rng.choice(["?x", "", "+n", " a", "\\ No newline at end of file"]))
        else:
            lines[place] = lines[place][1:]
    return "\n".join(lines)


def _case(rng):
    kind = rng.randrange(9)
    old = _text(rng) if rng.random() < 0.6 else _long(rng)
    new = _edited(rng, old) if rng.random() < 0.85 else _text(rng)
    options = {"ignore_case": rng.random() < 0.3, "ignore_space": rng.random() < 0.3}
    context = rng.choice([0, 1, 2, 3])
    if kind == 0:
        one, two = split(old), split(new)
        return matches(one, two), changes(one, two, **options), similarity(one, two)
    if kind == 1:
        return [(h.old_start, h.new_start, h.lines)
                for h in hunks(split(old), split(new), context, **options)]
    if kind == 2:
        return unified(old, new, ("x", "y"), context, **options)
    if kind == 3:
        patch = unified(old, new, context=context)
        return apply_patch(old, patch), apply_patch(new, patch, reverse=True)
    if kind == 4:
        patch = unified(old, new, context=rng.choice([1, 1, 2]))
        return apply_patch(_edited(rng, old), patch)
    if kind == 5:
        patch = _damaged(rng, unified(old, new, context=context))
        return [(h.old_start, h.new_start, h.lines) for h in parse_patch(patch)]
    other = _edited(rng, old) if rng.random() < 0.9 else _text(rng)
    if rng.random() < 0.15:
        other = new
    if rng.random() < 0.2:
        new, other = new.rstrip("\n"), other.rstrip("\n") + "!"
    result = merge(old, new, other, favour=rng.choice([None, None, None, "ours", "theirs", "me"]
                                                      if rng.random() < 0.5 else [None, "ours", "theirs"]))
    return result.text, result.conflicts, result.clean


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        try:
            found.append(repr(_case(random.Random(rng.getrandbits(64)))))
        except (PatchError, ValueError) as error:
            found.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            found.append(type(error).__name__)
    return found
