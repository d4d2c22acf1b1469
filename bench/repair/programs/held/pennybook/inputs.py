"""Random cases for pennybook."""

import random
from datetime import date, timedelta
from decimal import Decimal

import pennybook
from pennybook import Invoice, Ledger

NAMES = ["a", "a:b", "a:b:c", "a:bc", "a:d", "ab", "e", "e:f", "t"]
START = date(2024, 1, 1)


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        if isinstance(error, pennybook.BookError):
            return f"{type(error).__name__}: {error}"
        return type(error).__name__


def _amount(rng):
    return Decimal(rng.choice([0, 1, 5, 50, 99, 100, 105, 12345, rng.randint(-5000, 5000)])) / rng.choice([100, 100, 1000])


def _money_case(rng):
    kind = rng.randrange(3)
    if kind == 0:
        text = "".join(rng.choice("0123456789.,-() ") for _ in range(rng.randint(0, 6)))
        if rng.random() < 0.6:
            text = rng.choice(["{}", " {}", "({})", "{}-", "-{}"]).format(_amount(rng))
        return _try(lambda: pennybook.parse_amount(text))
    if kind == 1:
        value = _amount(rng) * 1000
        parens = rng.random() < 0.5
        return _try(lambda: pennybook.format_amount(value, parens=parens))
    weights = [rng.randint(0, 5) for _ in range(rng.randint(0, 5))]
    total = _amount(rng)
    return _try(lambda: pennybook.allocate(total, weights))


def _invoice(rng):
    invoice = Invoice(
        str(rng.randint(1, 99)),
        START + timedelta(days=rng.randint(0, 60)),
        "x",
        house_discount=Decimal(rng.choice(["0", "0", "0.10", "0.333"])),
        term_days=rng.choice([0, 14, 30]),
    )
    for _ in range(rng.choice([0, 1, 2, 5, 9])):
        options = {"tax_rate": Decimal(rng.choice(["0", "0.05", "0.20", "0.20"]))}
        if rng.random() < 0.4:
            options["discount"] = Decimal(rng.choice(["0", "0.5", "0.07"]))
        quantity = rng.choice(["0", "1", "1", "2", "0.5", "3.25"])
        try:
            invoice.add("item", quantity, Decimal(rng.randint(1, 999)) / 100, **options)
        except pennybook.BookError:
            pass
    return invoice


def _invoice_case(rng):
    invoice = _invoice(rng)
    return _try(lambda: (invoice.net, invoice.tax_by_rate(), invoice.tax, invoice.total, invoice.due))


def _ledger_case(rng):
    ledger = Ledger()
    log = []
    for name in NAMES:
        if rng.random() < 0.9:
            ledger.open_account(name)
    log.append(_try(lambda: ledger.open_account(rng.choice(NAMES + ["", "x:", "new:one"]))))
    for _ in range(rng.randint(0, 14)):
        step = rng.random()
        day = START + timedelta(days=rng.randint(0, 40))
        if step < 0.7:
            amounts = [_amount(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
            amounts.append(-sum(amounts) + rng.choice([0] * 7 + [1]))
            postings = [(rng.choice(NAMES), amount) for amount in amounts]
            log.append(_try(lambda: ledger.post(day, "text of some length", postings)))
        elif step < 0.85:
            number = rng.randint(0, 4)
            log.append(_try(lambda: ledger.reverse(number, day)))
        elif step < 0.9:
            log.append(_try(lambda: ledger.close_until(day - timedelta(days=30))))
        else:
            invoice = _invoice(rng)
            log.append(_try(lambda: invoice.book(ledger, "a:d", "e:f", "t")))
    name = rng.choice(["a", "a:b", "a:b", "e", "ab", "zz"])
    log.append(_try(lambda: ledger.total(name)))
    log.append(_try(lambda: ledger.family(name)))
    log.append(_try(ledger.trial_balance))
    first = START + timedelta(days=rng.randint(0, 20))
    last = first + timedelta(days=rng.randint(-1, 30))
    size = rng.choice([0, 1, 1, 2, 2, 3, 10])
    width = rng.choice([6, 12])
    log.append(_try(lambda: ledger.balance_at(name, last)))
    log.append(_try(lambda: [(p.opening, p.closing, p.render(width)) for p in pennybook.pages(ledger, name, first, last, size)]))
    return " | ".join(log)


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_money_case, _invoice_case, _ledger_case, _ledger_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
