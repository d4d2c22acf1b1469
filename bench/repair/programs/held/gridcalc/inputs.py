"""Random cases for gridcalc."""

import random

import gridcalc
from gridcalc import CellError, Sheet
from gridcalc import parser

ATOMS = ["1", "2.5", "0", '"x"', '"He said ""no"""', "A1", "B2", "$A1", "A$2", "$C$3", "A1:B3", "B2:A1", "C1", '""']
OPS = ["+", "-", "*", "/", "^", "&", "=", "<>", "<", ">="]
CALLS = ["SUM", "COUNT", "AVERAGE", "MIN", "MAX", "IF", "SUM", "AVERAGE"]
CELLS = ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3"]
PLAIN = ["", "1", "0", "7.25", "text", "TRUE", "'9", "-3", "Text"]


def formula(rng, depth=0):
    pick = rng.random()
    if depth > 2 or pick < 0.3:
        return rng.choice(ATOMS)
    if pick < 0.6:
        return formula(rng, depth + 1) + rng.choice(OPS) + formula(rng, depth + 1)
    if pick < 0.7:
        return "-" + formula(rng, depth + 1)
    if pick < 0.77:
        return "(" + formula(rng, depth + 1) + ")" + rng.choice(["", "%"])
    if pick < 0.85:
        return f"IF({rng.choice(CELLS)}=0,{formula(rng, 2)},1/{rng.choice(CELLS)})"
    name = rng.choice(CALLS)
    arguments = ",".join(formula(rng, depth + 1) for _ in range(rng.randint(1, 3)))
    return f"{name}({arguments})"


def shown(value):
    return value.code if isinstance(value, CellError) else repr(value)


def attempt(call):
    try:
        return call()
    except gridcalc.FormulaError as error:
        return f"FormulaError:{error}"
    except Exception as error:
        return type(error).__name__


def sheet_case(rng):
    sheet = Sheet()
    log = []
    for _ in range(rng.randint(3, 14)):
        action = rng.random()
        cell = rng.choice(CELLS)
        if action < 0.3:
            sheet.set(cell, rng.choice(PLAIN))
        elif action < 0.6:
            log.append(attempt(lambda: sheet.set(cell, "=" + formula(rng))))
        elif action < 0.7:
            other = rng.choice(CELLS)
            sheet.copy(cell, other)
            log.append(sheet.raw(other))
        elif action < 0.8:
            log.append(sheet.dependents(cell))
        else:
            log.append(shown(attempt(lambda: sheet.get(cell))))
    log.append(sheet.rows())
    log.append([sheet.dependents(cell) for cell in CELLS])
    return log


def chain_case(rng):
    sheet = Sheet()
    sheet.set("A1", str(rng.randint(0, 9)))
    size = rng.randint(2, 6)
    for row in range(2, size + 1):
        sheet.set(f"A{row}", f"=A{row - 1}{rng.choice('+*-')}{rng.randint(1, 3)}")
    first = shown(sheet.get(f"A{size}"))
    sheet.set("A1", str(rng.randint(0, 9)))
    return [first, [shown(sheet.get(f"A{row}")) for row in range(1, size + 1)]]


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    for _ in range(count):
        rng = random.Random(source.getrandbits(48))
        kind = rng.random()
        if kind < 0.5:
            case = attempt(lambda: sheet_case(rng))
        elif kind < 0.65:
            case = attempt(lambda: chain_case(rng))
        elif kind < 0.8:
            number = rng.choice([0, 1, 26, 27, 52, 702, 703, rng.randint(1, 2000)])
            case = [number, attempt(lambda: gridcalc.column_name(number))]
        elif kind < 0.9:
            text = formula(rng)
            case = attempt(lambda: parser.moved_text(text, rng.randint(-1, 2), rng.randint(-1, 2)))
        else:
            ref = rng.choice(["A1", "$B2", "c$3", "$D$4", "AA10", "A0", "$$A1", " b2 "])
            step = (rng.randint(-3, 30), rng.randint(-3, 3))
            case = attempt(lambda: str(gridcalc.parse_ref(ref).moved(*step)))
        results.append(repr(case))
    return results
