"""The progress files: Markdown and JSON that people read, and that parse back when the state itself is lost."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.record import first_problem
from loopwright.core.state import MOST_ITERATIONS
from loopwright.core.text import agree_word, json_objects, plural
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.objections import RunReview, review_lines, review_words
from loopwright.evidence.proof import SURVIVORS_KEPT, Proof, proof_words, strength_lines, tests_and_proof
from loopwright.evidence.rivals import patch_lines, patch_of
from loopwright.workflows.loop.model import LoopState, SkillState
from loopwright.workflows.loop.summary import measure_progress, tally_tests

Json = dict[str, Any]  # Any: parsed JSON, typed by the model at the end

PARTS = {"develop.md": "develop", "debug.md": "debug", "validate.md": "validate"}
LISTS = {"develop": "tasks", "debug": "hypotheses", "validate": "test_results"}
"""The list of each part that becomes one section per item."""

NAME = r"[A-Za-z_]\w*"
FIELD = re.compile(rf'- ({NAME}|"(?:[^"\\]|\\.)*"): (.*)')
"""One field in one line; a name that is no plain word stands there as JSON."""
WORD = re.compile(NAME)
PLAIN = re.compile(r"[^\W\d][\w .,:/()+'-]*[\w.)]|20\d\d-[\w:.+-]+", re.ASCII)
"""Texts that stand as they are, because no JSON value looks like them but a few words."""
ITERATIONS = re.compile(r"^- iterations: (\d{1,7})$", re.MULTILINE)
JSON_WORDS = frozenset({"true", "false", "null", "NaN", "Infinity"})


def render_progress(state: LoopState, since: LoopState | None = None) -> dict[str, bytes]:
    """The progress files that follow from the state, by name; only those that changed `since` an earlier one."""
    skill = state.skill_state
    if skill is None:
        return {}
    before = since.skill_state if since and since.title == state.title else None
    texts: dict[str, str] = {}
    words = f"{measure_progress(state).develop:.0f} % done"
    said = f"{measure_progress(since).develop:.0f} % done" if since else ""
    if before is None or before.develop is not skill.develop or words != said:
        texts["develop.md"] = _document(state, "Development progress", skill.develop, "tasks", words, _render_known)
    if before is None or before.debug is not skill.debug:
        texts["debug.md"] = _document(
            state, "Debugging", skill.debug, "hypotheses", _debug_words(skill), _render_section
        )
        texts["hypotheses.json"] = _json([h.model_dump(mode="json") for h in skill.debug.hypotheses])
    if before is None or before.validate_ is not skill.validate_:
        texts["validate.md"] = _document(
            state, "Validation", skill.validate_, "test_results", _validate_words(state, skill), _render_known
        )
        texts["test-results.json"] = _json(skill.validate_.model_dump(mode="json"))
    if skill.summary:
        texts["summary.md"] = render_summary(state, skill)
    return {name: text.encode() for name, text in texts.items()}


def parse_progress(files: Mapping[str, str]) -> SkillState | None:
    """The runner's part of a state from its progress files, or None when there are none.

    What happened last is what the files date last. Invalid when they do not fit together.
    """
    parts = {part: _parse(files[name], part) for name, part in PARTS.items() if files.get(name, "").strip()}
    if not parts:
        return None
    try:
        skill = SkillState.model_validate({"completed_actions": ["INIT"], **parts})
    except ValidationError as error:
        raise Invalid(f"the progress files do not fit together: {first_problem(error)}") from error
    times = {
        "VALIDATE": skill.validate_.last_run_at,
        "DEBUG": skill.debug.last_analysis_at,
        "DEVELOP": skill.develop.last_progress_at,
    }
    dated = {action: datetime.fromisoformat(at) for action, at in times.items() if at}
    last = max(dated, key=lambda action: dated[action], default="INIT")
    return skill.evolve(last_action=last)


def parse_lines(text: str) -> list[Json]:
    """The lines of a tasks.jsonl or a log that can be read."""
    return list(json_objects(text))


def iterations_in(files: Mapping[str, str], skill: SkillState | None) -> int:
    """The highest iteration that the progress files speak of: each change, each DEBUG and the summary count theirs."""
    told = [line.get("iteration") for line in parse_lines(files.get("changes.log", ""))]
    told += [int(number) for number in ITERATIONS.findall(files.get("summary.md", ""))]
    told += [skill.debug.iteration] if skill else []
    return max((n for n in told if type(n) is int and 0 < n < MOST_ITERATIONS), default=0)


def _document(
    state: LoopState, title: str, part: BaseModel, items: str, words: str, render: Callable[[BaseModel], str]
) -> str:
    """`render` makes the section of an item."""
    lines = [f"# {title}", "", f"Loop `{state.loop_id}`: {_one_line(state.title)}", "", words, ""]
    lines += [_field(name, value) for name, value in part.model_dump(mode="json", exclude={items}).items()]
    return "\n".join((*lines, *map(render, getattr(part, items)))) + "\n"


def _render_section(item: BaseModel) -> str:
    section = item.model_dump(mode="json")
    lines = ["", f"## {_heading(section)}", "", *(_field(name, value) for name, value in section.items())]
    return "\n".join(lines + _rivals(section))


RENDERED = 16_384
_rendered: dict[int, tuple[BaseModel, str]] = {}


def _render_known(item: BaseModel) -> str:
    """For items that come again in each document, most of them as they were; to hash one costs half as much."""
    known = _rendered.get(id(item))
    if known is None or known[0] is not item:
        if len(_rendered) >= RENDERED:
            _rendered.clear()
        known = _rendered[id(item)] = (item, _render_section(item))
    return known[1]


def _rivals(section: Json) -> list[str]:
    """How the patch of a hypothesis compares with others, for people: the field `evidence` holds it in full."""
    hypothesis = Hypothesis.model_validate(section) if "logging_point" in section else None
    patch = patch_of(hypothesis) if hypothesis else None
    return ["", *(f"* {' '.join(line.split())}" for line in patch_lines(patch))] if patch else []


def _heading(section: Json) -> str:
    name = section.get("id") or section.get("test_name") or "?"
    words = _one_line(str(section.get("description") or ""))
    return f"{_one_line(str(name))} ({section.get('status')}){': ' + words if words else ''}"


def _field(name: str, value: object) -> str:
    return f"- {name if WORD.fullmatch(name) else json.dumps(name, ensure_ascii=False)}: {_plain(value)}"


def _plain(value: object) -> str:
    """A short text as it is; everything else as JSON, so that it reads back exactly."""
    if isinstance(value, str) and PLAIN.fullmatch(value) and value not in JSON_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def _parse(text: str, part: str) -> Json:
    head: Json = {}
    items: list[Json] = []
    current = head
    for line in text.split("\n"):
        if line.startswith("## "):
            current = {}
            items.append(current)
        elif match := FIELD.fullmatch(line):
            current[_value(match[1]) if match[1].startswith('"') else match[1]] = _value(match[2])
    return {**head, LISTS[part]: items} if head or items else {}


def _value(text: str) -> Any:  # Any: a JSON value
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _one_line(text: str) -> str:
    return " ".join(text.split())[:120]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _debug_words(skill: SkillState) -> str:
    debug = skill.debug
    if not debug.hypotheses:
        return "Nothing had to be debugged so far."
    bug = _one_line(debug.active_bug or "a failure")
    return f"Looking into: {bug}. Hypotheses: {len(debug.hypotheses)}, rounds: {debug.iteration}."


def _validate_words(state: LoopState, skill: SkillState) -> str:
    validate = skill.validate_
    if validate.last_run_at is None:
        return "The tests have not been run yet."
    verdict = "passed" if validate.passed else f"failed ({plural(len(validate.failed_tests), 'test')})"
    last = state.engine.last_validation
    measured = f" As measured {last.measured}: nothing has changed since." if last and last.measured else ""
    rates = f"{validate.pass_rate:g} % of tests pass, coverage {validate.coverage:g} %"
    return f"Last validation {verdict}: {rates}.{measured}"


def render_summary(state: LoopState, skill: SkillState) -> str:
    """The result first: how it ended and what shows it, what was changed, and what it cost."""
    summary = skill.summary
    assert summary is not None
    lines = [f"# {_one_line(state.title)}", "", f"**{_ended(state, skill)}**", ""]
    changed = summary.develop.get("files_changed")
    if isinstance(changed, (list, tuple)):
        lines += (
            ["Changed files:", "", *(f"- {file}" for file in changed), ""] if changed else ["No file was changed.", ""]
        )
    lines += [
        f"- iterations: {summary.iterations}",
        f"- duration: {summary.duration / 1000:.1f} s",
        *(f"- from: {_one_line(source)}" for source in state.engine.sources),
        *_proof_section(state.engine.proof),
        *_review_section(state.engine.review),
    ]
    for name, part in (("Develop", summary.develop), ("Debug", summary.debug), ("Validate", summary.validate_)):
        lines += ["", f"## {name}", ""]
        lines += [_summary_line(key, value) for key, value in part.items() if key not in ("incidents", "files_changed")]
    if state.engine.incidents:
        told = (f"- {i.at} {i.kind}: {' '.join(i.message.split())}" for i in state.engine.incidents)
        lines += ["", "## Incidents", "", *told]
    return "\n".join(lines) + "\n"


def _ended(state: LoopState, skill: SkillState) -> str:
    """The outcome with its reason: the proof, or why there is no success."""
    outcome = state.engine.outcome or state.status
    tally = tally_tests(state)
    if state.failure_reason or not tally.ran or state.status != "completed":
        return f"{outcome}: {state.failure_reason}" if state.failure_reason else str(outcome)
    return f"{outcome}: {tests_and_proof(state.engine.proof, tally.passed, tally.ran)}"


def _proof_section(proof: Proof | None) -> list[str]:
    """Test by test, what shows that the goal was reached."""
    if proof is None:
        return []
    lines = ["", "## Proof", "", proof_words(proof), ""]
    lines += [f"- {test}: failed before, passes now" for test in proof.fail_to_pass]
    count = proof.pass_to_pass_count
    lines.append(f"- {plural(count, 'test')} passed before and {agree_word(count, 'passes')} now")
    lines += [f"- {line}" for line in strength_lines(proof, SURVIVORS_KEPT)]
    return lines + [f"- shows nothing: {note}" for note in proof.notes]


def _review_section(review: RunReview | None) -> list[str]:
    words = review_words(review)
    return ["", "## Review", "", words, "", *(f"- {line}" for line in review_lines(review))] if words else []


def _summary_line(key: str, value: object) -> str:
    words = key.replace("_", " ")
    if isinstance(value, (list, tuple)):
        return "\n".join([f"- {words}:", *(f"  - {item}" for item in value)]) if value else f"- {words}: none"
    plain = {None: "none", True: "yes", False: "no"}
    return f"- {words}: {plain.get(value, value) if value is None or isinstance(value, bool) else value}"
