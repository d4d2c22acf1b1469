import textwrap

import pytest

from tally import Ledger, parse_journal


@pytest.fixture
def ledger_of():
    def build(text):
        return Ledger(parse_journal(textwrap.dedent(text)))

    return build


@pytest.fixture
def household(ledger_of):
    return ledger_of(
        """\
        price 2024-03-01 USD 0.95 EUR
        price 2024-01-01 USD 0.90 EUR
        alias food = Expenses:Food

        2024-01-02 * Opening
            Assets:Bank          1,000.00 EUR
            Assets:Bankers Club     20.00 EUR
            Equity:Opening

        2024-02-10 Grocer | weekly shop  #food #home
            food                    42.50 EUR  ; eggs and flour
            Assets:Bank

        2024-01-20 * Bookshop  #Home
            Expenses:Books          $30
            Assets:Bank:Dollars
        """
    )
