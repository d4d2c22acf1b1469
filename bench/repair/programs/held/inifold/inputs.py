"""Random cases for inifold."""

import random

import inifold

SECTIONS = ["a", "A", "b", "my part", "DEFAULT"]
KEYS = ["x", "X", "y", "Long Key", "long  key", "z", "straße"]
VALUES = [
    "", "1", "0x1F", "1_000", "on", "No", "maybe", "a, b,,c", "v ; note", "v#1", "# all", "$$", "${x}",
    "${x} and ${x}", "${b:y}", "${a : X}${y}", "${gone}", '"quoted # v" ; c', '"a\\"b\\\\n\\n"', '"open',
    "http://h:1/", "k = v", "${z}-${z}-${y}",
]
PLAIN = ["", " s ", "a # b", "a;b", "l1\nl2", '"', "\\", '\\"', "\\n", "é", "a\\ # \"b\"", "#"]


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        if isinstance(error, inifold.IniError):
            return f"{type(error).__name__}: {error}"
        return type(error).__name__


def _text(rng):
    lines = []
    for _ in range(rng.randint(0, 10)):
        kind = rng.random()
        if kind < 0.22:
            lines.append(rng.choice(["[{}]", "[ {} ]", "[{}] # c"]).format(rng.choice(SECTIONS)))
        elif kind < 0.75:
            separator = rng.choice([" = ", "=", ": ", " :"])
            indent = rng.choice(["", "", "", "  "])
            lines.append(indent + rng.choice(KEYS) + separator + rng.choice(VALUES))
        elif kind < 0.85:
            lines.append("   " + rng.choice(["more", "more ; c", "# c", "q, r"]))
        elif kind < 0.95:
            lines.append(rng.choice(["", "   ", "# comment", "; c"]))
        elif rng.random() < 0.3:
            lines.append(rng.choice(["nonsense", "[open", "= 3"]))
    end = rng.choice(["\n", "\n", "\r\n"])
    return rng.choice(["", "", "", "", "\ufeff"]) + end.join(lines) + end


def _probe(rng, document):
    section, key = rng.choice(SECTIONS), rng.choice(KEYS)
    default = rng.choice([None, 0, "", "d"])
    calls = [
        lambda: document.get(section, key),
        lambda: document.get(section, key, default),
        lambda: document.get_int(section, key),
        lambda: document.get_int(section, key, default),
        lambda: document.get_bool(section, key, default=False),
        lambda: document.get_list(section, key),
        lambda: document.has(section, key),
        lambda: document.remove(section, key),
        lambda: document.remove(section, key.upper()),
        lambda: document.get(section, key),
        lambda: document.set(section, key, default),
        lambda: document.options(section),
        lambda: document.options(section, defaults=False),
        document.as_dict,
        document.sections,
        document.dumps,
    ]
    return _try(rng.choice(calls))


def _parse_case(rng):
    text = _text(rng)
    strict = rng.random() < 0.3
    try:
        document = inifold.parse(text, strict=strict)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    log = [_try(document.as_dict), document.dumps()]
    log += [_probe(rng, document) for _ in range(8)]
    log.append(_try(lambda: inifold.parse(document.dumps()) == document))
    return " | ".join(log)


def _reference_case(rng):
    document = inifold.Document()
    for _ in range(rng.randint(2, 6)):
        document.set(rng.choice(["a", "b", "DEFAULT"]), rng.choice(["x", "y", "z"]), rng.choice(VALUES))
    return " | ".join(_probe(rng, document) for _ in range(6))


def _layer_case(rng):
    texts = [_text(rng) for _ in range(rng.randint(0, 3))]
    overrides = {rng.choice(["a.x", "x", "b.Y", "my part.z", "a.b.c"]): rng.choice([0, "1", ""]) for _ in range(2)}
    overrides = rng.choice([None, overrides])
    return _try(lambda: inifold.layer(texts, overrides).dumps())


def _dump_case(rng):
    document = inifold.Document()
    for _ in range(rng.randint(0, 4)):
        document.set(rng.choice(SECTIONS), rng.choice(KEYS), rng.choice(PLAIN))
    return document.dumps() + _try(lambda: inifold.parse(document.dumps()) == document)


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_parse_case, _parse_case, _parse_case, _parse_case, _reference_case, _layer_case, _dump_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
