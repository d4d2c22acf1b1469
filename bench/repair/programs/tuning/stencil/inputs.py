"""Random templates for stencil."""
import random

NAMES = ["x", "n", "name", "person.name", "items.1", "nothing", "loop.index", "zero", "none", "html", "y"]
CONSTANTS = ["0", "1", "2.5", "'q'", '"<"', "true", "false", "''"]
FILTERS = ["upper", "title", "trim", "raw", "escape", "default:'d'", "default:5", "default", "join:'&'", "truncate:4",
           "truncate:2,'~'", "default:zero"]
SPACE = ["", " ", "\n", "\n  ", "text", "a\nb ", "<p>"]


def _atom(r, depth):
    text = r.choice(NAMES) if r.random() < 0.7 else r.choice(CONSTANTS)
    if depth and r.random() < 0.1:
        text = f"({_expr(r, depth - 1)})"
    for _ in range(r.choice([0, 0, 1, 1, 2])):
        rare = r.random() < 0.02
        text += r.choice(["|", " | "]) + r.choice(["number:1", "length", "nope"] if rare else FILTERS)
    return text


def _expr(r, depth=1):
    if r.random() < 0.006:
        return r.choice(["", "a b", "x ?", "(x", "|upper"])
    if r.random() < 0.75:
        return _atom(r, depth)
    left, right = _atom(r, depth), _atom(r, depth)
    return r.choice(["", "not "]) + left + r.choice([" == ", " != ", " or ", " and "]) + right


def _open(r, kind):
    return kind + r.choice(["", "", "", "-"])


def _close(r, kind):
    return r.choice(["", "", "", "-"]) + kind


def _tag(r, body):
    return _open(r, "{%") + r.choice([" ", " ", "\n"]) + body + " " + _close(r, "%}")


def _part(r, depth):
    kind = r.random()
    if depth == 0 or kind < 0.35:
        return r.choice(SPACE) + _open(r, "{{") + " " + _expr(r) + " " + _close(r, "}}")
    if kind < 0.42:
        return "{# remark" + r.choice(["", "\n", "\n\n"]) + " #}"
    if kind < 0.5:
        return _tag(r, f"set {r.choice(['x', 'y'])} = {_expr(r)}")
    if kind < 0.58:
        return _tag(r, f"include '{r.choice(['row', 'row', 'row', 'row', 'bad', 'gone'])}'")
    end = _tag(r, "end") if r.random() < 0.99 else ""
    otherwise = _tag(r, "else") + _body(r, depth - 1) if r.random() < 0.3 else ""
    if kind < 0.78:
        return _tag(r, f"if {_expr(r)}") + _body(r, depth - 1) + otherwise + end
    head = r.choice(["x in items", "x in pairs", "x in items", "y in items", "x in name", "k, y in pairs", "y in nothing", "n in stream", "y in items|join"])
    return _tag(r, f"for {head}") + _body(r, depth - 1) + otherwise + end


def _body(r, depth):
    return "".join(_part(r, depth) + r.choice(SPACE) for _ in range(r.randint(1, 2)))


class _Person:
    name = "Bo & Co"
    _age = 3


def _case(r):
    import stencil
    if r.random() < 0.06:
        return stencil.escape(r.choice(["a<b", "&lt;", 'R&D "x"', 5, "", "<&>", stencil.Raw("<i>")]))
    source = _body(r, 2) + (_body(r, 1) if r.random() < 0.5 else "")
    library = {"row": "[{{ x }}{{ loop.index }}]{% set y = 'in' %}", "bad": "\n{{ ? }}"}
    values = {"x": r.choice(["X", 0, "", None, "a b c d e"]), "n": r.choice([0, 3, 1234.5]), "name": "<ada>", "person": _Person(),
              "items": r.choice([[], [1], ["a", "b&c"], [0, "", None]]), "pairs": {"k1": 1, "k2": "<"}.items(),
              "zero": 0, "none": None, "html": '<a href="?a&b">', "stream": (i * i for i in range(r.randint(0, 3)))}
    try:
        template = stencil.Template(source, library)
        first = template.render(**values)
        values.pop("stream")
        return first, template.render(**values)
    except stencil.TemplateError as error:
        return "TemplateError", str(error)
    except Exception as error:
        return type(error).__name__


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [r.getrandbits(48) for _ in range(count)]
    return [repr(_case(random.Random(seed))) for seed in seeds]
