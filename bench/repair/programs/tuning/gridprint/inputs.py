"""Random inputs for gridprint."""

import random

from gridprint import (
    Column, Table, clip, dedent_list, display_width, fit_widths, pad, paragraphs,
    strip_codes, wrap,
)

WORDS = ["a", "to", "tea", "word", "日本", "naïve", "e\u0301", "internationalisation",
         "x" * 12, "\x1b[31mred\x1b[0m", "\x1b[1m", "a|b", "c:\\d", "\\|", "-", "1.", "語"]


def _text(rng, most=8):
    parts = []
    for _ in range(rng.randint(0, most)):
        parts.append(rng.choice(WORDS))
        parts.append(rng.choice([" ", " ", " ", "  ", "\n", "\n\n"]))
    return "".join(parts)


def _value(rng):
    return rng.choice([
        0, 1, -5, 12345, 0.0, -0.001, 2.675, 1e6, None, None, True, False, "",
        _text(rng, 4), rng.choice(WORDS), rng.choice(WORDS),
    ])


def _table(rng):
    count = rng.randint(1, 4)
    columns = []
    for index in range(count):
        if rng.random() < 0.5:
            columns.append(f"T{index}")
        else:
            columns.append(Column(
                f"Title{index}", rng.choice("lrc"), rng.choice([None, None, 1, 3, 6]),
                rng.choice([None, 0, 2]), rng.choice(["", "n/a"]),
            ))
    table = Table(columns, "".join(rng.choice("lrc") for _ in range(count)),
                  rng.choice([" ", "  ", " | "]))
    for _ in range(rng.randint(0, 5)):
        table.add_row(*[_value(rng) for _ in range(rng.randint(0, count))])
    if rng.random() < 0.4:
        table.set_footer(*[_value(rng) for _ in range(rng.randint(0, count))])
    return table


def _case(rng):
    kind = rng.randrange(9)
    if kind == 0:
        text = rng.choice(WORDS + [_text(rng)])
        return display_width(text), strip_codes(text), pad(
            text, rng.randint(0, 30), rng.choice("lrclx"))
    if kind == 1:
        return clip(_text(rng, 4), rng.randint(0, 15), rng.choice(["…", "...", ""]))
    if kind == 2:
        return wrap(_text(rng), rng.randint(1, 20), rng.choice(["", "", "> ", "    "]),
                    rng.choice([None, "", "  "]))
    if kind == 3:
        text = _text(rng, 10)
        return paragraphs(text), dedent_list(
            text.replace("tea", rng.choice(["\n- tea", "\n1. tea"])), rng.randint(3, 25))
    if kind == 4:
        widths = [rng.randint(1, 12) for _ in range(rng.randint(1, 5))]
        return fit_widths(widths, rng.randint(1, 40)), widths
    if kind == 5:
        table = Table(["n", "v", "s"])
        for number in range(rng.randint(0, 6)):
            table.add_row(number, rng.choice([None, 0, 1, 2, 3.5, -1]),
                          rng.choice([None, "a", "b", "", "c"]))
        first = rng.choice(["v", "s", "n"])
        table.sort(first, rng.random() < 0.5)
        table.sort(rng.choice(["v", "s"]), rng.random() < 0.5)
        return table.rows, table.total("v")
    table = _table(rng)
    if kind == 6:
        table.add_row(rng.choice(["|", "a|\\b", "x\ny|z", "\\\\", _text(rng, 3)]))
        return table.markdown()
    return table.widths(), table.render(rng.choice([None, 5, 12, 20, 40]))


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        try:
            found.append(repr(_case(random.Random(rng.getrandbits(64)))))
        except (ValueError, KeyError) as error:
            found.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            found.append(type(error).__name__)
    return found
