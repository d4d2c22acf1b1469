"""In Chinese everything is in Chinese: what was written for people, not what the loop's own words are."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import loop_page, new_loop, settled
from tests.browser.served import Served, served

TABS = 9
TEXTS = """() => {
    // Words of the page, not of the loop: nothing in code, in tables of data, or of an agent's mouth.
    const ours = 'h1, h2, h3, th, dt, label, legend, summary, button, option, [role=tab], nav a, .badge, .empty,'
        + ' .hint, .muted'
    const isShown = (one) => one.checkVisibility() && !one.closest('code, pre, .mono, .transcript')
    const texts = [...document.querySelectorAll(ours)].filter(isShown).map((one) => one.innerText ?? one.textContent)
    const named = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].filter(isShown)
        .flatMap((one) => ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name)))
    return [...texts, ...named].filter(Boolean)
}"""
OURS = {
    "loopwright", "builtin", "bash", "codex", "claude", "gemini", "qwen", "opencode", "goose", "English", "auto",
    "INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE",
}  # fmt: skip
"""Names, the same in every language."""


def english(page: Page, known: set[str]) -> set[str]:
    """Words of English that are left."""
    texts: list[str] = page.evaluate(TEXTS)
    words = {word for text in texts for word in re.findall(r"[A-Za-z][A-Za-z'’]{2,}", text)}
    return {word for word in words if word not in OURS and word.lower() not in known}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for all."""
    with served(tmp_path_factory.mktemp("chinese")) as server:
        server.project("tests/samples/ledger", name="zhang")
        server.start()
        yield server


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_language_is_that_of_the_browser_until_somebody_chooses(visit: Visit, locale: str) -> None:
    page = visit(locale=locale).page
    is_chinese = locale == "zh-CN"
    expect(page.locator("html")).to_have_attribute("lang", locale if is_chinese else "en")
    label = "语言" if is_chinese else "Language"
    page.get_by_label(label).select_option("en" if is_chinese else "zh")
    expect(page.locator("html")).to_have_attribute("lang", "en" if is_chinese else "zh-CN")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en" if is_chinese else "zh-CN")


def test_nothing_is_left_in_english(server: Served, visit: Visit) -> None:
    (project,) = server.projects
    loop_id = new_loop(server, "修好测试", "--auto", "--agent", "builtin")
    server.call("start", loop_id)
    anna = visit()
    page = anna.page
    page.get_by_label("Language").select_option("zh")
    expect(page.get_by_role("listitem").filter(has_text="修好测试")).to_contain_text("14")
    known = {project.name, "ledger"}  # a file
    left = {"the list": english(page, known)}
    dialog = page.get_by_role("dialog")
    page.keyboard.press("n")
    expect(dialog).to_be_visible()
    dialog.get_by_role("group").last.locator("summary").click()
    left["the dialog"] = english(page, known)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    left["the shortcuts"] = english(page, known | {"alt", "esc"})
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    anna.open(loop_page(loop_id))
    expect(page.get_by_role("tab")).to_have_count(TABS)
    expect(page.get_by_role("definition").first).to_contain_text("成功")
    for place in range(TABS):
        page.get_by_role("tab").nth(place).click()
        settled(page)
        tab = page.get_by_role("tab").nth(place).inner_text()
        if place not in (6, 7, 8):  # the transcript, the journal and the files are the loop's own words
            left[tab] = english(page, known)
    assert not any(left.values()), {name: words for name, words in left.items() if words}
