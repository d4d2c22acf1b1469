"""One Chromium for all tests of this folder; a server and visitors for each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import Missing, chromium, program
from tests.browser.served import Served, served
from tests.browser.visitor import Visitor, visiting

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Where there is none the tests fail: nobody shall believe that the page was looked at.

    For one file at a time: while it is there its event loop runs, and no other test can have one.
    """
    try:
        program()
    except Missing as missing:
        pytest.fail(str(missing), pytrace=False)
    with chromium() as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as ready:
        yield ready


@pytest.fixture
def visit(browser: Browser, server: Served) -> Iterator[Visit]:
    """Call it for each browser that looks at the started server."""
    with ExitStack() as visitors:
        yield lambda **options: visitors.enter_context(visiting(browser, server, **options))
