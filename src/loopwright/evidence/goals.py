"""What kind of goal a run has, what has to show that it was reached, and what its words list. Pure."""

import re
from collections.abc import Collection, Iterator, Sequence

from loopwright.core.state import Baseline, RunState
from loopwright.core.text import clip_text
from loopwright.evidence.proof import NamedTest, ProofKind, ProofPolicy

TESTS = r"(?:(?:all|the|these|those|our|its|any|every|failing|broken|red|unit|python) )*(?:tests?|test suite|suite)"
GREEN_TESTS = re.compile(
    rf"(?:please )?(?:(?:make|get|let|have|keep) {TESTS} (?:to )?(?:pass|passing|green|succeed|work)(?: again)?"
    rf"|(?:fix|repair|mend) {TESTS})[.!]?"
    r"|请?(?:修好|修复)(?:所有|全部)?(?:失败的)?测试|请?[让使](?:所有|全部)?(?:失败的)?测试(?:全部|都)?通过",
    re.IGNORECASE,
)
KEPT_COVERAGE = re.compile(r",? and keep (?:the )?coverage(?=[.!]?$)", re.IGNORECASE)

MATERIAL = "## Material"
"""Heading of what others wrote about a goal (an issue, a log): it comes after the words of whoever started the run."""

_MATERIAL = re.compile(rf"^{MATERIAL}$.*?(?=^--- ITERATION |\Z)", re.MULTILINE | re.DOTALL)

MOST_CRITERIA, CRITERION_LENGTH = 50, 500
"""Acceptance criteria that are read from a goal, and characters of each."""

_HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<text>.*?)[ #]*|(?P<bold>\*\*|__)(?P<words>[^*_]+)(?P=bold):?")
_NAMED = re.compile(r"[#*_ ]*acceptance criteri(?:a|on)[*_: ]*", re.IGNORECASE)
_ITEM = re.compile(r"(?P<indent> *)(?:[-*+•]|\d{1,3}[.)]) +(?:[-*+] +)?(?:\[(?P<box>[ xX])\] +)?(?P<text>.+)")
_ASSURANCE = re.compile(r"(?:\(.*?\) *)?I(?:['’](?:ve|m|d)|\b(?! can\b| see\b| should\b))")
"""What a template makes its writer promise (`I have read …`); `I can …` is how a story puts what is wanted."""

_GOES_ON = re.compile(r"[*_]*(?:When|Then|And|But)\b")
"""A step of a scenario: it says nothing without those before it."""


def acceptance_criteria(goal: str) -> tuple[str, ...]:
    """What the goal lists as to be met: open items of check lists, and of the list below "Acceptance criteria".

    In Markdown, also where it is quoted (`>`). Lines that run on and items below an item belong to it, but for those
    with a box of their own. What is ticked is done; what stands between fences is none.
    """
    found: list[str | None] = []
    below, depth = 0, 0
    for line in _plain_lines(goal):
        item, heading, last = _ITEM.fullmatch(line), _HEADING.fullmatch(line), found[-1] if found else None
        if heading or (item is None and _NAMED.fullmatch(line)):
            level = len(heading["level"] or "") or 7 if heading else 8
            if not below or level <= below:
                below = level if _NAMED.fullmatch(line) else 0
            found.append(None)
        elif item and (item["box"] or len(item["indent"]) <= depth or last is None):
            depth = len(item["indent"]) + 1
            found += _begin_item(found, item["text"] if _is_open(item, inside=below > 0) else "")
        elif line:
            goes_on = last and line.startswith(" ")
            found[-1:] = [f"{last} {item['text'] if item else line.strip()}"] if goes_on else [last, None]
    return tuple(clip_text(one, CRITERION_LENGTH) for one in dict.fromkeys(filter(None, found)))[:MOST_CRITERIA]


def _is_open(item: re.Match[str], *, inside: bool) -> bool:
    """`inside` the list of criteria an item needs no box."""
    wanted = item["box"] == " " or (inside and item["box"] is None)
    return wanted and not _ASSURANCE.match(item["text"])


def _begin_item(found: list[str | None], text: str) -> Iterator[str]:
    """The item, unless it goes on with the scenario of the last one."""
    if found and found[-1] and _GOES_ON.match(text):
        found[-1] += f"; {text}"
    else:
        yield text


def list_criteria(criteria: Sequence[str], words: str) -> str:
    """A paragraph of them, numbered, below the words; nothing where there are none."""
    lines = [f"- A{n}: {one}" for n, one in enumerate(criteria, 1)]
    return "\n".join(["", words, *lines, ""]) if lines else ""


def _plain_lines(text: str) -> Iterator[str]:
    """Without marks of quotation, comments, and what stands between fences."""
    fence = ""
    for line in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).expandtabs(4).splitlines():
        line = re.sub(r"^(?:> ?)+", "", line).rstrip()
        mark = re.match(r" *(`{3,}|~{3,})", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            yield line


def asks_only_for_green_tests(goal: str) -> bool:
    """Whether passing tests are the whole goal, so that a green project has reached it. In English and Chinese."""
    return GREEN_TESTS.fullmatch(" ".join(asked_words(goal).split())) is not None


def is_reached_by_green_tests(goal: str) -> bool:
    """Whether tests that pass again show the goal: what shall only be kept needs no test of its own."""
    return asks_only_for_green_tests(KEPT_COVERAGE.sub("", " ".join(asked_words(goal).split())))


def asked_words(goal: str) -> str:
    """What whoever started the run has asked for, then and in extensions: the goal without its material."""
    return _MATERIAL.sub("", goal).strip()


def goal_kind(goal: str, policy: ProofPolicy) -> ProofKind:
    if policy != "auto":
        return policy
    return "mend" if is_reached_by_green_tests(goal) else "change"


def named_for_goal(goal: str, engine: RunState) -> tuple[NamedTest, ...]:
    """Tests that are said to show the goal: by its own words, or by an agent."""
    words = f" {goal} "
    baseline = engine.baseline
    failed = [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else []
    by_goal = (NamedTest(test=key, by="the goal") for key in failed if _is_named_in(key, words))
    return (*by_goal, *(engine.named or ()))


def _is_named_in(key: str, words: str) -> bool:
    """Whether the words hold the test's key, or its plain name as a word of its own."""
    name = key.rpartition("::")[2].split("[")[0]
    edges = "`'\"“”‘’ \n\t.,;:()"
    return key in words or (len(name) > len("test") and any(word.strip(edges) == name for word in words.split()))


def named_tests(names: Collection[str], by: str, baseline: Baseline | None) -> tuple[NamedTest, ...]:
    """The tests of the first run that an agent's words mean: the key itself, its end, or its plain name."""
    keys = baseline.tests if baseline else ()
    found = (key for name in names for key in keys if key == name or key.endswith((f"::{name}", f"/{name}")))
    return tuple(NamedTest(test=key, by=by) for key in dict.fromkeys(found))
