from datetime import date

import pytest

from busboard import read_timetable

TEXT = """\
# town network
service WD Mon-Fri 2024-01-01 2024-06-28
service WE Sat,Sun 2024-01-01 2024-06-30
except WD -2024-05-01
except WE +2024-05-01
change Station 5

line 7 WD
  Station   6:00  7:00       8:00
  Market    6:08  7:08/7:15  8:08
  Harbour   6:20  7:27       -
  Mill      6:30  7:37       8:25

line 10 WD
  Hill      6:40  7:05
  Station   6:55  7:20
  Market    7:03  7:28

line 2 WD
  Harbour   6:25  7:30  23:30
  Airport   6:50  7:55  23:59
  Fair      7:10  8:15  24:20
  Harbour   7:20  8:30  24:40

line N WE
  Station   23:50  25:10
  Market    24:05  25:25
  Hill      24:20  25:40
"""


@pytest.fixture
def town():
    return read_timetable(TEXT)


@pytest.fixture
def tuesday():
    return date(2024, 3, 5)


@pytest.fixture
def sunday():
    return date(2024, 3, 10)


@pytest.fixture
def may_day():
    """A Wednesday with weekend service."""
    return date(2024, 5, 1)
