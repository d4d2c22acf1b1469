"""Random cases for marklet."""

import random

import marklet

SPANS = ["word", "*em*", "**st**", "`a<b*c*`", "[l](x_y?a&b)", "[ref]", "[T][ref]", "~~d~~", "<b>", "a & b", "&lt;", r"\*x\*", "![i](p.png)", "[j](javascript:x)", "<https://e.org/?a&b>", "_u_v", "``x`y``", '"q"', "***m***", '[t](u "ti<t>le")', "`open", "5 > 4"]
TITLES = ["Setup", "Setup", "What's *new*?", "A & B", "C#", "!!!", "Setup 1"]
BLOCKS = [
    "```py\nx < 1\n\n[ref]: /inside\n```",
    "```\nopen end\n[other]: /q",
    "~~~\n```\n~~~",
    "````\n```\n````",
    "---",
    "[ref]: /target \"T\"",
    "[REF]: /late",
    "> quoted\n> > deeper\n\n> again",
    "- a\n- b\n  - c\n  - d\n- e",
    "- a\n\n- b\n- c",
    "1. x\n2. y\n\n   more",
    "3) x\n- y",
    "- a\n  ```\n  code & more\n  ```",
    "| a | b |\n|:-|-:|\n| 1 | `x` |\n| 2 \\| 3 |",
    "a | b\n---",
    "* lazy\nline\n* next",
    "In\n1984. Then\n1. so",
]


def span(rng):
    return " ".join(rng.choice(SPANS) for _ in range(rng.randint(1, 4)))


def block(rng):
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(["\n", "  \n", " "]).join(span(rng) for _ in range(rng.randint(1, 2)))
    if kind < 0.55:
        return "#" * rng.randint(1, 7) + " " + rng.choice(TITLES) + rng.choice(["", " ##"])
    if kind < 0.65:
        return rng.choice(["- ", "> ", "2. "]) + span(rng)
    return rng.choice(BLOCKS)


def text(rng):
    parts = [block(rng) for _ in range(rng.randint(0, 5))]
    return rng.choice(["", "", "", "\ufeff"]) + rng.choice(["\n\n", "\n\n", "\n"]).join(parts)


def attempt(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    for _ in range(count):
        rng = random.Random(source.getrandbits(48))
        kind = rng.random()
        if kind < 0.6:
            renderer = marklet.Renderer(rng.choice([0, 0, 1, 4]))
            case = []
            for _ in range(rng.randint(1, 3)):
                document = text(rng)
                case.append(attempt(lambda: renderer.render(document)))
                case.append(renderer.headings)
                if rng.random() < 0.4:
                    case.append(attempt(renderer.toc))
        elif kind < 0.85:
            line = span(rng)
            case = attempt(lambda: marklet.Inline({"ref": ("/r?x&y", None)}).render(line))
        elif kind < 0.93:
            raw = rng.choice(["a&b<c>\"d\"", "&amp;", "<<", '"', ""])
            case = marklet.escape(raw, rng.random() < 0.5)
        else:
            target = rng.choice(["javascript:x", "HTTP://a", " data:x", "a:b/c", "mailto:x", "#t", "/p?x:y"])
            case = [marklet.safe_target(target), marklet.slug(rng.choice(TITLES))]
        results.append(repr(case))
    return results
