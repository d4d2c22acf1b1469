from datetime import date

import pytest

from tally import JournalError, parse_amount, parse_journal


def test_heading_parts():
    text = "2024-01-05 * Grocer | weekly shop  #food #big-one\n  A  1 EUR\n  B\n"
    (entry,) = parse_journal(text).transactions
    assert entry.day == date(2024, 1, 5)
    assert (entry.payee, entry.memo, entry.cleared) == ("Grocer", "weekly shop", True)
    assert entry.tags == ["food", "big-one"]


def test_open_posting_takes_the_rest():
    text = "2024-01-05 Shop\n  Expenses:Food  10 EUR\n  Expenses:Rent  5 EUR\n  Assets:Cash\n"
    (entry,) = parse_journal(text).transactions
    assert entry.postings[-1].amount == parse_amount("-15 EUR")


def test_open_posting_with_several_currencies():
    text = "2024-01-05 Trip\n  Assets:Cash  ; wallet\n  Expenses:Hotel  80 EUR\n  Expenses:Taxi  $12\n"
    (entry,) = parse_journal(text).transactions
    cash = [(str(p.amount), p.note) for p in entry.postings if p.account == "Assets:Cash"]
    assert cash == [("-80.00 EUR", "wallet"), ("-12.00 USD", "wallet")]


def test_comments_and_aliases():
    text = "; my book\nalias food = Expenses:Food\n2024-01-05 Shop\n  ; a remark\n  food  1 EUR ; egg\n  Cash\n"
    (entry,) = parse_journal(text).transactions
    assert [p.account for p in entry.postings] == ["Expenses:Food", "Cash"]
    assert entry.postings[0].note == "egg"


def test_file_saved_with_byte_order_mark():
    journal = parse_journal("\ufeff2024-01-05 Shop\n  A  1 EUR\n  B\n")
    assert journal.transactions[0].payee == "Shop"


def test_windows_line_ends():
    journal = parse_journal("2024-01-05 Shop\r\n  A  1 EUR\r\n  B\r\n\r\n2024-01-06 Bar\r\n  A  1 EUR\r\n  B\r\n")
    assert [t.payee for t in journal.transactions] == ["Shop", "Bar"]


def test_account_names_may_hold_a_single_space():
    (entry,) = parse_journal("2024-01-05 X\n  Assets:My Bank  1 EUR\n  Other Place\n").transactions
    assert [p.account for p in entry.postings] == ["Assets:My Bank", "Other Place"]


def test_empty_journal():
    assert parse_journal("").transactions == []


@pytest.mark.parametrize(
    "text, message",
    [
        ("  A  1 EUR\n", "line 1: posting outside a transaction"),
        ("\n2024-13-01 X\n  A  1 EUR\n  B\n", "line 2: bad date '2024-13-01'"),
        ("2024-01-01 X\n  A  1 EUR\n  B  -2 EUR\n", "line 1: does not balance: -1.00 EUR left"),
        ("2024-01-01 X\n  A\n  B\n", "line 1: more than one posting without an amount"),
        ("2024-01-01 X\n\n", "line 1: transaction without postings"),
        ("2024-01-01 X\n  A  1.x EUR\n", "line 2: not a number: '1.x'"),
        ("alias food\n", "line 1: alias needs NAME = ACCOUNT"),
        ("hello world\n", "line 1: cannot read 'hello world'"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(JournalError) as caught:
        parse_journal(text)
    assert str(caught.value) == message
