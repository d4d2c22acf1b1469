"""Random cases for stencil."""

import random

import stencil

ATOMS = [
    "x", "n", "0", "3", "-1.5", "'<b>'", '"a & b"', "user.name", "user.tags.0", "user.nope", "none", "true", "items.1",
    "(x or n)", "text", "text", "items", "x",
]
FILTERS = [
    "upper", "lower", "title", "length", "safe", "escape", "default:'-'", "truncate:5", "truncate:4,'~'",
    "indent:2", "indent", "default:0", "upper", "escape",
]
NAMES = ["x", "y", "n"]


class Thing:
    name = "T<i>"
    tags = ("p", "q")


def _expression(rng, depth=0):
    roll = rng.random()
    if roll < 0.5 or depth > 2:
        return rng.choice(ATOMS)
    if roll < 0.55:
        return rng.choice(["items|join:', '", "items|length", "items|sort|join", "text|length", "x|default:n", "lazy|join:'&'"])
    if roll < 0.57:
        return rng.choice(["missing", "x|nope", "n|length", "loop.index", "user._name"])
    if roll < 0.8:
        return _expression(rng, depth + 1) + rng.choice(["|", " | "]) + rng.choice(FILTERS)
    if roll < 0.88:
        return f"{_expression(rng, depth + 1)} {rng.choice(['and', 'or', 'and', 'or', '==', '!=', '<'])} {_expression(rng, depth + 1)}"
    if roll < 0.985:
        return "not " + _expression(rng, depth + 1)
    return rng.choice(["", "a b", "(x", "x |", "x @", "x", "n", "text"])


def _tag(rng, body):
    left = rng.choice(["{%", "{%", "{%-", "{%\n"])
    right = rng.choice(["%}", "%}", "-%}"])
    return f"{left} {body} {right}"


def _source(rng, depth=0):
    out = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        if kind < 0.3 or depth > 2:
            out.append(rng.choice(["word", " ", "\n", " a\n  b ", "<p>", "&"]))
        elif kind < 0.55:
            out.append(rng.choice(["{{ %s }}", "{{- %s }}", "{{ %s -}}", "{{%s}}"]) % _expression(rng))
        elif kind < 0.62:
            out.append(rng.choice(["{# note #}", "{# two\nlines #}"]))
        elif kind < 0.72:
            out.append(_tag(rng, "if " + _expression(rng)) + _source(rng, depth + 1))
            if rng.random() < 0.4:
                out.append(_tag(rng, "elif " + _expression(rng)) + _source(rng, depth + 1))
            if rng.random() < 0.5:
                out.append(_tag(rng, "else") + _source(rng, depth + 1))
            out.append(_tag(rng, "endif"))
        elif kind < 0.87:
            names = rng.choice(["x", "y", "n", "x, y"])
            values = "pairs" if "," in names else rng.choice(["items", "lazy", "empty", "none", "user.tags", "text"])
            out.append(_tag(rng, f"for {names} in {values}") + _source(rng, depth + 1))
            out.append(rng.choice(["", "{{ loop.index }}/{{ loop.length }}", "{{ x }}", "{{ loop.last }}"]))
            if rng.random() < 0.4:
                out.append(_tag(rng, "else") + _source(rng, depth + 1))
            out.append(_tag(rng, "endfor") + rng.choice(["", "{{ x }}", "{{ n }}"]))
        elif kind < 0.92:
            out.append(_tag(rng, f"set {rng.choice(NAMES)} = {_expression(rng)}"))
        elif kind < 0.97:
            out.append(_tag(rng, "include " + rng.choice(["'part'", "'setter'", "'part'", "'setter'", "'loop'", "'gone'"])))
        elif rng.random() < 0.4:
            out.append(rng.choice(["{% nope %}", "{{ open", "{% endif %}", "{% for x %}", "{% set %}"]))
    return "".join(out)


def _render_case(rng):
    env = stencil.Environment(
        {"part": "[{{ x }}]", "setter": "{% set x = 'in' %}{% for n in 'ab' %}{{ n }}{% endfor %}", "loop": "{% include 'loop' %}"},
        autoescape=rng.random() < 0.8,
        names={"n": rng.choice([0, 2, 9])},
    )
    source = _source(rng)
    env.add("main", source)
    log = []
    for _ in range(2):
        names = {
            "x": rng.choice([0, "", "<x>", "a & b", None, stencil.Safe("<u>")]),
            "text": rng.choice(["hello \"world\"", "l1\nl2\n\nl3", ""]),
            "items": rng.choice([[], [1, 2, 3], ["<", "&"], ("k",)]),
            "pairs": rng.choice([[], [(1, 2), ("a", "b")], ["kv", "<&"], [(1, 2, 3)]]),
            "lazy": (value for value in rng.choice([[], ["g", "h"], [0]])),
            "empty": iter(()),
            "user": rng.choice([Thing(), {"name": "<Ann>", "tags": ["t"]}]),
        }
        try:
            log.append(repr(env.render("main", **names)))
        except stencil.StencilError as error:
            log.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            log.append(type(error).__name__)
    return " | ".join(log)


def _escape_case(rng):
    text = "".join(rng.choice("ab<>&\"'; \n") for _ in range(rng.randint(0, 8)))
    value = rng.choice([text, stencil.Safe(text), 7, None, [text]])
    return repr(stencil.escape(value))


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_render_case] * 8 + [_escape_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
