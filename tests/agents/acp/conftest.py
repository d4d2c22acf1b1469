"""Nothing of the library's own logging reaches a person."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def silence(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO):
        yield
    assert [record.getMessage() for record in caplog.get_records("call")] == []
