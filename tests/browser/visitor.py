"""Somebody who looks at the dashboard, and everything a page may not do meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, expect

from tests.browser.served import Served

QUICK = 20_000.0
"""Milliseconds for what is there already, on a slow machine with other work to do: no speed is judged by it."""

PATIENCE = 90_000.0
"""For what other processes do."""


@dataclass
class Visitor:
    """`expected`: words of console messages that a test provokes on purpose."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.page.on("dialog", self._was_stopped)
        self.page.on("popup", lambda popup: self.complaints.append(f"popup: {popup.url}"))

    def _heard(self, message: ConsoleMessage) -> None:
        """Errors and warnings, violations of the CSP among them."""
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:")):
            self.complaints.append(f"asked elsewhere: {request.url}")
        if request.is_navigation_request():
            self.loads.append(request.url)

    def _was_stopped(self, dialog: Dialog) -> None:
        """By a window that only a script of somebody else would open."""
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check(self) -> None:
        left = [said for said in self.complaints if not any(words in said for words in self.expected)]
        assert not left, left

    def open(self, place: str = "") -> Page:
        """`place` is what follows `#`."""
        self.page.goto(f"{self.origin}/{f'#{place}' if place else ''}")
        return self.page


@contextmanager
def visiting(browser: Browser, server: Served, *, enters: bool = True, **options: object) -> Iterator[Visitor]:
    """In a fresh profile, logged in by the printed URL; `options` of the browser's context."""
    shape = {"viewport": {"width": 1280, "height": 900}, "locale": "en-US", "reduced_motion": "reduce", **options}
    context: BrowserContext = browser.new_context(**shape)  # type: ignore[arg-type]  # options of new_context
    context.set_default_timeout(QUICK)
    expect.set_options(timeout=PATIENCE)
    visitor = Visitor(context.new_page(), server.origin)
    visitor.listen()
    try:
        if enters:
            visitor.page.goto(server.url)
        yield visitor
        visitor.check()
    finally:
        context.close()
