"""Whatever agents, tests, files and strangers write is text: nothing of it runs, and nobody elsewhere is asked."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import act, guest, loop_page, new_loop, report, standing
from tests.browser.served import Served

PAYLOADS = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<img src='http://elsewhere.example/a.png'>",
    "![picture](http://elsewhere.example/b.png)",
    "[click](javascript:window.hacked=3)",
    "[click too](java&#10;script:window.hacked=4)",
    "<a href='data:text/html,<script>window.hacked=5</script>'>data</a>",
    "<svg onload='window.hacked=6'><use href='http://elsewhere.example/c.svg#x'/></svg>",
    "<iframe src='http://elsewhere.example/d'></iframe>",
    "<style>body { background: url(http://elsewhere.example/e) }</style>",
    "<base href='http://elsewhere.example/'>",
    "<meta http-equiv='refresh' content='0;url=http://elsewhere.example/f'>",
    "<form action='http://elsewhere.example/g'><input name=q autofocus onfocus='window.hacked=7'></form>",
    "<math><mtext><table><mglyph><style><img src onerror='window.hacked=8'>",
    "<details open ontoggle='window.hacked=9'>",
    "<p id='app' style='position:fixed;inset:0' class='notice'>clobbered</p>",
    "\u202egnp.live\u2066 </title></textarea><plaintext>",
)
HOSTILE = "\n\n".join(PAYLOADS)
SHORT = "<img src=http://elsewhere.example/t onerror=alert(1)>"
FILE = "<img src=x onerror=alert(1)> & 'q' \".py"
TESTS = f"""import pytest


@pytest.mark.parametrize("text", [{SHORT!r}, "javascript:alert(1)"])
def test_text(text):
    print({HOSTILE!r})
    assert text == {HOSTILE!r}
"""
TABS = ("Overview", "Timeline", "Tasks", "Changes", "Tests", "Causes", "Transcript", "Journal", "Files")


def hostile_project(server: Served) -> Path:
    project = server.project(name="strange <b>project")
    (project / "test_text.py").write_text(TESTS)
    call = {"toolCallId": SHORT, "title": HOSTILE, "kind": "execute", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": HOSTILE}}],
            "rawInput": {"command": SHORT}}  # fmt: skip
    question = ("say", report("DEVELOP", "needs_input", SHORT) + f"- options: {SHORT} | no\n")
    step = {"content": SHORT, "priority": "high", "status": "pending"}
    guest(
        project,
        [
            ("think", HOSTILE),
            ("say", HOSTILE),
            ("update", {"sessionUpdate": "tool_call", **call}),
            ("update", {"sessionUpdate": "plan", "entries": [step]}),
            ("edit", str(project / FILE), HOSTILE),
            question,
        ],
        [question],
    )  # fmt: skip
    return project


@pytest.fixture
def loop_id(server: Served) -> str:
    hostile_project(server)
    server.start()
    made = new_loop(server, HOSTILE, "--title", SHORT, "--auto", "--agent", "guest")
    server.call("edit", made, "--notes", HOSTILE, "--tag", SHORT)
    server.call("tasks", made, "add", HOSTILE)
    server.call("tasks", made, "add", SHORT, "--tool", "bash", "--command", f"echo {SHORT!r}")
    return made


def test_nothing_of_it_runs(server: Served, visit: Visit, loop_id: str) -> None:
    anna = visit()
    page = anna.open(loop_page(loop_id))
    expect(page.get_by_role("heading", level=1, name=SHORT)).to_be_visible()
    act(page, "Start")
    expect(standing(page)).to_contain_text("Paused")
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tabpanel", name=tab)).to_be_visible()
        unfold(page)
        harmless(page)
    expect(page.get_by_role("tabpanel")).to_be_visible()
    anna.open()
    expect(page.get_by_role("link", name=SHORT)).to_be_visible()
    harmless(page)
    assert page.title() == "loopwright"


def unfold(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def harmless(page: Page) -> None:
    """Beside what the visitor hears of: nothing is there that could still act."""
    found = page.evaluate(
        """() => ({
            hacked: window.hacked,
            scripts: document.querySelectorAll('body script').length,
            strangers: [...document.querySelectorAll(
                'main :is(img, iframe, object, embed, base, meta, link, style, use)')].map((one) => one.outerHTML),
            handlers: [...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])
                .filter(({ name }) => name.startsWith('on')).map(({ name, value }) => `${name}=${value}`),
            links: [...document.querySelectorAll('a[href]')]
                .filter((one) => !one.href.startsWith(`${location.origin}/#`))
                .filter((one) => !(/^https?:/.test(one.href) && one.relList.contains('noopener') && !one.ping))
                .map((one) => one.outerHTML),
            forms: [...document.querySelectorAll('form[action]')].map((one) => one.action),
            covers: [...document.querySelectorAll('main [style]')].map((one) => one.getAttribute('style'))
                .filter((style) => style.includes('position:fixed') || style.includes('position: fixed')),
        })"""
    )
    assert found.pop("hacked", None) is None
    assert found.pop("scripts") == 0
    assert not any(found.values()), found
