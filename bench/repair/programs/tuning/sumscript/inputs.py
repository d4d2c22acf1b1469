"""Random inputs for sumscript."""

import random

from sumscript import ScriptError, Session, tokenize
from sumscript.session import show

NAMES = ["a", "b", "x", "n"]
FUNCTIONS = ["f", "g", "half", "loop"]
BROKEN = ["1 +", "(2", "let = 3", "1 2", '"open', "a ? b", '"\\q"', "def f(a,a)=1",
          "if true then 1", "]", "let a\n= 1"]


def _atom(rng):
    return rng.choice([
        str(rng.randint(0, 9)), str(rng.randint(0, 9)), ".5", "2.5", "1e2", "true",
        "false", '"t"', '"l\nm"', '"q\\"\\\\"', rng.choice(NAMES), rng.choice(NAMES),
        "[1, 2, 3]", "[]",
    ])


def _expr(rng, depth):
    if depth == 0:
        return _atom(rng)
    kind = rng.randrange(14)
    one = _expr(rng, depth - 1)
    two = _expr(rng, depth - 1)
    if kind < 3:
        return f"{one} {rng.choice(['+', '-', '*', '/', '//', '%'])} {two}"
    if kind == 3:
        return f"-{rng.randint(0, 4)} ^ {rng.choice(['2', '3', '-1', '.5', '2 ^ 2'])} + {one}"
    if kind == 4:
        return f"{one} {rng.choice(['<', '<=', '==', '!=', '>', '>='])} {two}"
    if kind == 5:
        return f"{rng.randint(0, 2)} < {rng.randint(0, 2)} {rng.choice(['and', 'or'])} {one}"
    if kind == 6:
        return f"if {rng.randint(0, 2)} {rng.choice(['<', '=='])} 1 then {one} else {two}"
    if kind == 7:
        return f"not {one}"
    if kind == 8:
        return f"({one})"
    if kind == 9:
        return f"{rng.choice(FUNCTIONS)}({one})"
    if kind == 10:
        name = rng.choice(["sum", "min", "max", "mean", "round", "abs", "sqrt", "floor",
                           "len", "nope"])
        return f"{name}({rng.choice([one, one + ', ' + two, ''])})"
    if kind == 11:
        return f"[{one}, {two}][{rng.choice(['1', '2', '3', '0', one])}]"
    if kind == 12:
        return f"-{one}"
    return f"[{one},\n {two}]"


def _line(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return f"let {rng.choice(NAMES)} = {_expr(rng, rng.randint(0, 2))}"
    if kind == 1:
        name = rng.choice(FUNCTIONS[:2])
        return f"def {name}({rng.choice(NAMES)}) = {_expr(rng, 2)}"
    if kind == 2:
        return rng.choice(["# note", "", "def loop(n) = loop(n + 1)",
                           "def half(n) = 1 / n", "def g(n) = if n == 0 then 0 else n + g(n - 1)"])
    if kind == 3 and rng.random() < 0.3:
        return rng.choice(BROKEN)
    return _expr(rng, rng.randint(0, 3))


def _run(session, source):
    try:
        return show(session.run(source))
    except ScriptError as error:
        return f"{type(error).__name__}: {error}"


def _case(rng):
    kind = rng.randrange(6)
    if kind == 0:
        source = "\n".join(_line(rng) for _ in range(rng.randint(0, 4)))
        return [(t.kind, t.value, t.line) for t in tokenize(source)]
    if kind == 1:
        return _run(Session(a=2, x=0.5), _expr(rng, 3))
    if kind == 2:
        session = Session()
        log = [_run(session, "def half(n) = 1 / n\ndef up(n) = if n == 0 then 0 else 1 + up(n - 1)")]
        for _ in range(rng.choice([3, 30, 70])):
            log.append(_run(session, f"half({rng.choice(['0', '0', '4'])})"))
        log.append(_run(session, f"up({rng.choice([1, 40, 59, 60])})"))
        return log
    if kind == 3:
        session = Session(**{name: number for number, name in enumerate(NAMES)
                             if rng.random() < 0.6})
        lines = [f"def {function}({rng.choice(['', 'x', 'n', 'a, x'])}) = "
                 + " + ".join(rng.choice(NAMES + [call]) for _ in range(rng.randint(1, 3)))
                 for function, call in (("f", "3"), ("g", "f(1)"), ("h", "g(2)"), ("k", "f()"))]
        log = [_run(session, "\n".join(lines))]
        for call in ("f(5)", "g(6)", "h(7)", "k(8)", "k()", "h(1, 2)", "g(a, x)"):
            log.append(_run(session, call))
        return log
    session = Session(a=rng.choice([0, 3, "t"]))
    log = [_run(session, "\n".join(_line(rng) for _ in range(rng.randint(1, 3))))
           for _ in range(rng.randint(2, 6))]
    return log, sorted((name, show(value)) for name, value in session.globals.names.items())


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        try:
            found.append(repr(_case(random.Random(rng.getrandbits(64)))))
        except ScriptError as error:
            found.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            found.append(type(error).__name__)
    return found
