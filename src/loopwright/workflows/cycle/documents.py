"""The documents of a cycle: Markdown and JSON that people read, and that parse back when the state itself is lost.

Pure. Names are those below the progress folder. What only grows is in cycle_logs.
"""

import json
import re
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.text import clip_text, decode_word, encode_word
from loopwright.reports.block import is_nothing
from loopwright.workflows.cycle.model import FINISHED, CycleState, Exploration, Requirements, iteration_of, version_of
from loopwright.workflows.cycle.summary import render_implementation, render_issues, render_summary

MAIN = (
    "ra/requirements.md",
    "ra/edge-cases.md",
    "ep/exploration.md",
    "ep/architecture.md",
    "ep/plan.json",
    "cd/implementation.md",
    "cd/issues.md",
    "vas/summary.md",
    "vas/test-results.json",
    "vas/coverage.json",
)
"""The documents that are rewritten whole in each iteration, by their names below the progress folder."""

_HEADER = re.compile(r"<!-- version (1\.\d{1,7}\.0) · iteration \d{1,8}(?: · (\S{1,40}))? -->(?:\n\n?|$)")


def with_header(text: str, version: str, updated: str | None = None) -> str:
    """The text below its header; `updated`: when what it says was last changed. `without_header` gives it back."""
    when = f" · {updated}" if updated else ""
    return f"<!-- version {version} · iteration {iteration_of(version)}{when} -->\n\n{text}\n"


def without_header(text: str) -> str:
    """The text alone, exactly as it was before it got its header; as it stands where it has none."""
    found = _HEADER.match(text)
    return text[found.end() :].removesuffix("\n") if found else text


def version_in(name: str, text: str) -> str | None:
    """The version that a document says it is of; None where it does not say one."""
    if not name.endswith(".json"):
        found = _HEADER.match(text)
        return found[1] if found else None
    try:
        document = json.loads(text)
        version = document["version"]
        iteration_of(version)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return str(version)


def updated_in(text: str) -> str | None:
    """When the document was last changed, as its header says."""
    found = _HEADER.match(text)
    return found[2] if found else None


def archived_name(name: str, version: str) -> str:
    """`ra/requirements.md` → `ra/history/requirements-v1.0.0.md`."""
    folder, _, file = name.rpartition("/")
    stem, _, ending = file.rpartition(".")
    return f"{folder}/history/{stem}-v{version}.{ending}"


def archives(there: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, bytes]:
    """Of the documents that are `there`, those that `new` ones of another version replace, by archived name.

    It goes by what the documents say of themselves, so that after a crash it comes to the same.
    """
    kept: dict[str, bytes] = {}
    for name in MAIN:
        if name not in there or name not in new:
            continue
        old, now = (version_in(name, data.decode(errors="replace")) for data in (there[name], new[name]))
        if old is not None and now is not None and old != now:
            kept[archived_name(name, old)] = there[name]
    return kept


ITEM = 2_000
"""Characters of an item that are kept."""

POINTS = ("integration points", "integration point", "集成点", "接入点", "对接点")
RISKS = ("risks", "identified risks", "risk", "风险", "已识别风险", "潜在风险")
"""Headings of exploration.md below which its lists stand."""

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)、])[ \t]+(?P<text>\S.*)")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>.*?)[ \t]*#*")
_ROW = re.compile(r"[ \t]*\|(?P<cells>.*)\|[ \t]*")
_RULE = re.compile(r"[ \t:|-]+")
_DRESS = re.compile(r"^[\W\d_]+|[\W_]+$")


def listed_items(text: str) -> list[str]:
    """Every entry of its lists, each in one line with what stands below it. Without a list: rows, else sections."""
    lines = list(_plain_lines(text))
    items = _bullets(lines) or _rows(lines) or _sections(lines)
    return [kept for item in items if not is_nothing(kept := clip_text(" ".join(item.split()), ITEM))]


def section_items(text: str, *headings: str) -> list[str]:
    """What is listed below the first of these headings, at any level, until the next of its level."""
    wanted = {heading.casefold() for heading in headings}
    level, inside = 0, list[str]()
    for line in _plain_lines(text):
        heading = _HEADING.fullmatch(line)
        if level and heading and len(heading["level"]) <= level:
            break
        if level:
            inside.append(line)
        elif heading and _DRESS.sub("", heading["text"]).casefold() in wanted:
            level = len(heading["level"])
    return listed_items("\n".join(inside))


def _plain_lines(text: str) -> Iterator[str]:
    """Without what stands between fences, and without comments."""
    fence = ""
    for line in text.splitlines():
        mark = line.strip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and not line.lstrip().startswith("<!--"):
            yield line


def _bullets(lines: list[str]) -> list[str]:
    """Entries of the outermost level; those below one, and lines that run on, belong to it."""
    items: list[str] = []
    depth: int | None = None
    is_parted = False
    for line in lines:
        bullet, indent = _BULLET.fullmatch(line), len(line) - len(line.lstrip())
        if not line.strip():
            is_parted = True
            continue
        if bullet and (depth is None or indent <= depth + 1):
            items.append(bullet["text"])
            depth = indent if depth is None else min(depth, indent)
        elif bullet:
            items[-1] = f"{items[-1].rstrip('.;')}; {bullet['text']}"
        elif depth is not None and not _HEADING.fullmatch(line) and (indent > depth or not is_parted):
            items[-1] += f" {line.strip()}"
        else:
            depth = None
        is_parted = False
    return items


def _rows(lines: list[str]) -> list[str]:
    """Rows of a table, without its head."""
    rows = [found["cells"] for line in lines if (found := _ROW.fullmatch(line))]
    rule = next((n for n, row in enumerate(rows) if _RULE.fullmatch(row)), None)
    below = rows if rule is None else [row for row in rows[rule + 1 :] if not _RULE.fullmatch(row)]
    return [" · ".join(cell for part in row.split("|") if (cell := part.strip())) for row in below]


def _sections(lines: list[str]) -> list[str]:
    """Headings below the first level, each with its first paragraph."""
    items: list[str] = []
    is_open = False
    for line in lines:
        heading = _HEADING.fullmatch(line)
        if heading:
            is_open = len(heading["level"]) > 1
            if is_open:
                items.append(heading["text"])
        elif line.strip() and is_open:
            items[-1] += f"{'' if items[-1].endswith((':', '：')) else ':'} {line.strip()}"
            is_open = False
    return items


EDGE_CASES, EXPLORATION, JUDGEMENT = "ra/edge-cases.md", "ep/exploration.md", "vas/summary.md"
KEPT = (EDGE_CASES, EXPLORATION, JUDGEMENT)
"""Documents that hold more than the state does: what is there is kept, under the header of today."""
_TITLE, _NO_CASES = "# Edge cases", "None are known."


def render(
    state: CycleState, since: CycleState | None = None, there: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """The documents that follow from the state, by name; only those that changed `since` an earlier one.

    `there` holds the texts of those that are KEPT, as they are; without it, those that the state alone cannot tell are
    left out.
    """
    texts = {**_of_parts(state, since), **_of_the_whole(state, since)}
    if there is not None:
        texts |= _kept(state, since, there)
    return {name: text.encode(errors="replace") for name, text in texts.items()}


def coverage(validated: ValidationOutcome, version: str) -> bytes:
    """vas/coverage.json; `percent` by file where that was measured."""
    files = validated.coverage_files
    document = {"version": version, "measured": files is not None, "percent": validated.coverage, "files": files or {}}
    return _json(document).encode(errors="replace")


def edge_cases_in(text: str) -> tuple[str, ...]:
    """What edge-cases.md lists, exactly as it was where it was written here."""
    lines = [line for line in without_header(text).split("\n") if line and line not in (_TITLE, _NO_CASES)]
    if all(line.startswith("- ") for line in lines):
        return tuple(decode_word(line[2:]) for line in lines)
    return tuple(listed_items(without_header(text)))


def _of_parts(state: CycleState, since: CycleState | None) -> dict[str, str]:
    """Of each part that changed, the document that is just that part."""
    texts: dict[str, str] = {}
    requirements, exploration = state.requirements, state.exploration
    if requirements and (since is None or since.requirements != requirements):
        texts["ra/requirements.md"] = _headed(requirements, requirements.specification)
        texts[EDGE_CASES] = _edge_cases(requirements)
    if exploration and (since is None or since.exploration != exploration):
        texts["ep/architecture.md"] = _headed(exploration, exploration.architecture_summary)
    if state.plan and (since is None or since.plan != state.plan):
        texts["ep/plan.json"] = _json(state.plan)
    if state.test_results and (since is None or since.test_results != state.test_results):
        texts["vas/test-results.json"] = _json(state.test_results)
    return texts


def _of_the_whole(state: CycleState, since: CycleState | None) -> dict[str, str]:
    """What puts several parts together, for people."""
    texts: dict[str, str] = {}
    version = version_of(state.current_iteration)
    if state.plan or state.changes:
        same = since and (since.plan, since.changes) == (state.plan, state.changes)
        if not same or since is None or since.current_iteration != state.current_iteration:
            texts["cd/implementation.md"] = with_header(render_implementation(state), version)
    parts = (state.plan, state.coordination, state.phase_errors)
    if state.current_iteration and (since is None or (since.plan, since.coordination, since.phase_errors) != parts):
        texts["cd/issues.md"] = with_header(render_issues(state), version)
    if state.status in FINISHED:
        texts["coordination/summary.md"] = render_summary(state)
    return texts


def _kept(state: CycleState, since: CycleState | None, there: Mapping[str, str]) -> dict[str, str]:
    """The role's own text where it says the same as the state, and always where the state does not hold it."""
    texts: dict[str, str] = {}
    requirements, exploration = state.requirements, state.exploration
    cases = without_header(there.get(EDGE_CASES, "")).rstrip()
    changed = requirements and (since is None or since.requirements != requirements)
    if requirements and changed and cases and edge_cases_in(cases) == requirements.edge_cases:
        texts[EDGE_CASES] = _headed(requirements, cases)
    if exploration and (since is None or since.exploration != exploration):
        own = without_header(there.get(EXPLORATION, "")).rstrip()
        texts[EXPLORATION] = _headed(exploration, own or _exploration(exploration))
    results, own = state.test_results, without_header(there.get(JUDGEMENT, "")).rstrip()
    if results and own and (since is None or since.test_results != results):
        texts[JUDGEMENT] = with_header(own, results.version, results.last_run)
    return texts


def _headed(part: Requirements | Exploration, text: str) -> str:
    return with_header(text, part.version, part.last_updated)


def _edge_cases(requirements: Requirements) -> str:
    items = [f"- {encode_word(case)}" for case in requirements.edge_cases] or [_NO_CASES]
    return _headed(requirements, "\n".join([_TITLE, "", *items]))


def _exploration(exploration: Exploration) -> str:
    return "\n".join(
        [
            "# Exploration",
            "",
            exploration.architecture_summary,
            "",
            "## Integration points",
            "",
            *(f"- {encode_word(point)}" for point in exploration.integration_points),
            "",
            "## Risks",
            "",
            *(f"- {encode_word(risk)}" for risk in exploration.identified_risks),
        ]
    )


def _json(document: BaseModel | dict[str, object]) -> str:
    value = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
