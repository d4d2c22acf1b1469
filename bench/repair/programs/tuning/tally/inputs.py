"""Random journals and questions for tally."""
import random
from datetime import date, timedelta

ACCOUNTS = ["Assets:Bank", "Assets:Bank:Dollars", "Assets:Banker", "Assets:Cash", "Expenses:Food",
            "Expenses:Foodie", "Expenses:Food:Out", "Income", "Income:Luck", "food"]
CODES = ["EUR", "USD", "GBP", "JPY"]


def _amount(r):
    value = r.choice([0, 1, 5, 42.5, 0.04, 0.05, 1234.5, 0.335, 2.675, 99, r.randint(1, 5000) / 100])
    sign = r.choice(["", "", "-"])
    style = r.random()
    if style < 0.25:
        return f"{sign}${value}"
    if style < 0.3:
        return r.choice(["12", "1,00 EUR", "x EUR", "", "3 eur"])
    return f"{sign}{value:,} {r.choice(CODES)}" if value >= 1000 else f"{sign}{value} {r.choice(CODES)}"


def _journal(r):
    lines = []
    first = date(2024, 1, 1)
    for _ in range(r.randint(0, 4)):
        day = first + timedelta(days=r.randint(0, 90))
        pair = r.sample(CODES, 2) if r.random() < 0.3 else [r.choice(CODES[1:]), "EUR"]
        lines.append(f"price {day} {pair[0]} {r.choice(['0.9', '1.1', '0.333', '0.0061', '2'])} {pair[1]}")
    for code in CODES[1:]:
        if r.random() < 0.8:
            lines.append(f"price 2024-01-01 {code} {r.choice(['0.915', '0.335', '0.125'])} EUR")
    if r.random() < 0.5:
        lines.append("alias food = Expenses:Food")
    for _ in range(r.randint(1, 5)):
        day = first + timedelta(days=r.randint(0, 90))
        tags = "".join(f" #{t}" for t in r.sample(["home", "Home", "big-one"], r.randint(0, 2)))
        lines.append(f"{day} {r.choice(['', '* ', '! '])}{r.choice(['Shop', 'Grocer | eggs', 'A very long payee'])}{tags}")
        body = []
        for _ in range(r.randint(1, 4)):
            note = r.choice(["", "", " ; note"])
            body.append(f"    {r.choice(ACCOUNTS)}    {_amount(r)}{note}")
        if r.random() < 0.93:
            body.insert(r.randint(0, len(body)), f"    {r.choice(ACCOUNTS)}")
        lines += body
        if r.random() < 0.5:
            lines.append("")
        if r.random() < 0.1:
            lines.append("; remark")
    text = "\n".join(lines) + "\n"
    if r.random() < 0.12:
        text = "\ufeff" + text
    if r.random() < 0.1:
        text = text.replace("\n", "\r\n")
    return text


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _case(r):
    import tally
    if r.random() < 0.1:
        return _try(lambda: tally.parse_amount(_amount(r)))
    if r.random() < 0.15:
        cents = [f"    Assets:Jar    0.{r.randint(1, 99):02d} {code}" for code in r.sample(CODES, r.randint(1, 4))]
        rates = [f"price 2024-01-0{r.randint(1, 3)} {code} 0.{r.randint(1, 999):03d} EUR" for code in CODES[1:]]
        text = "\n".join([*rates, "2024-01-02 Found", *cents, "    Income"]) + "\n"
        return _try(lambda: str(tally.Ledger(tally.parse_journal(text)).value("Assets", "EUR", date(2024, 1, r.randint(2, 5)))))
    journal = _try(lambda: tally.parse_journal(_journal(r)))
    if isinstance(journal, tuple):
        return journal
    ledger = tally.Ledger(journal)
    day = date(2024, 1, 1) + timedelta(days=r.randint(0, 100))
    parent = r.choice(["Assets", "Assets:Bank", "Expenses:Food", "Income", "Expenses", "Nope"])
    return [
        [(t.day.isoformat(), t.payee, t.memo, t.cleared, t.tags, [(p.account, str(p.amount), p.note) for p in t.postings])
         for t in ledger.transactions],
        _try(lambda: {k: str(v) for k, v in ledger.balance(parent, r.choice([None, day])).items()}),
        _try(lambda: str(ledger.value(parent, r.choice(["EUR", "EUR", "USD"]), day))),
        _try(lambda: tally.balance_table(ledger)),
        _try(lambda: tally.register(ledger, parent, r.choice(CODES))),
        _try(lambda: {k: str(v) for k, v in ledger.monthly(parent, "EUR").items()}),
        _try(lambda: [t.line for t in ledger.by_tag("home")]),
    ]


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [r.getrandbits(48) for _ in range(count)]
    return [repr(_try(lambda: _case(random.Random(seed)))) for seed in seeds]
