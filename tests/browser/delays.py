"""How long a commit takes to the screen: by its journal line and by the page, both on this machine's clock."""

from datetime import datetime

from playwright.sync_api import Page

from tests.browser.visitor import PATIENCE

OBSERVE = """() => {
    const seen = (window.seen = {}), wanted = (window.wanted = new Set())
    const look = () => {
        const text = document.body.innerText
        for (const mark of wanted) {
            if (!text.includes(mark)) continue
            wanted.delete(mark)
            // The frame that follows is the one that shows it.
            requestAnimationFrame(() => { seen[mark] = Date.now() })
        }
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
    window.expectMark = (mark) => { wanted.add(mark); look() }
}"""


def observe(page: Page) -> None:
    """From now on the page knows when each mark that it expects was shown."""
    page.evaluate(OBSERVE)


def expect_mark(page: Page, mark: str) -> None:
    page.evaluate("(mark) => window.expectMark(mark)", mark)


def shown_at(page: Page, mark: str) -> float:
    """In milliseconds since 1970; waits for it."""
    page.wait_for_function("(mark) => window.seen[mark]", arg=mark, timeout=PATIENCE, polling=20)
    at: float = page.evaluate("(mark) => window.seen[mark]", mark)
    return at


def milliseconds(ts: str) -> float:
    """Of a journal line."""
    return datetime.fromisoformat(ts).timestamp() * 1000


def p95(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
