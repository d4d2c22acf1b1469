"""Skills that nobody would write, and what must hold for a diagnosis of any of them."""

from hypothesis import strategies as st

from loopwright.skills.diagnosis import SkillDiagnosis, diagnose_skill
from loopwright.skills.findings import Finding
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.read import read_skill

LINES = (
    "# Title", "## Constraints", "## 3. 目标", "### Resume", "## Errors", "## Limits", "Setext\n===", "---", "***",
    "- Never ask the user.", "- Ask the user first.", "不改 `build/`。", "直接改 `build/`。",
    "- At most 3 rounds of review.",
    "Repeat up to 5 rounds of review until `max_rounds` (7).", "Write the report in English.", "报告用中文写。",
    "Before you start, read all files under phases/.", "Read `state.json` and go on with \"Resuming\" in SKILL.md.",
    "See [a](phases/none.md#gone) and [b](../out.md) and [c](<phases/01 plan.md>).", "Use the Task tool with it.",
    "Paste the full text into the prompt.", "Paste the entire text into the prompt of each worker and the next one.",
    "| id | status | file |", "|----|--------|------|", "| a | `done` | phases/01-plan.md |", "a | b", "--- | ---",
    "```js", "```json", "```typescript", "````markdown", "~~~", "```", "<bad-example>", "</bad-example>", "<!--", "-->",
    "<script>", "<step name=\"", "for (const x of xs) {", "while (true) {", "}", "results.push(await Task({",
    "  subagent_type: 'worker', prompt: `Do ${JSON.stringify(state)} with ${results.join('\\n')}", "`}))",
    "const text = Read(`${dir}/state.json`)", "Write('<dir>/state.json', JSON.stringify({...state, status: 'done'}))",
    "wait({ids: [a]})", "AskUserQuestion({questions: [", "if (state.status === 'complete') {", "codex exec \"do it\"",
    "interface State { status: 'open' | 'done'; items: Array<{id: string", "{\"$schema\": \"x\", \"properties\": {",
    "**Output:** `report.md`", "[约束]", "Example:", "Bad:", "> quoted", "1. ", "9999999999. ", "第一步：读取 `a.json`",
    "每轮保存 state.json。", "循环执行，直到通过", "<!-- loopwright: ignore dead-reference -->", "\t", "",
)  # fmt: skip
"""What detectors look for, and what breaks readers of Markdown."""
MARKS = (
    "`", "```", "{", "}", "(", ")", "[", "]", "](", "${", '"', "'", "“", "|", "*", "**", "_", "\\", "<", ">", "/", "//",
    "/*", "#", ":", "-", "...", "{{", "}}", "=", "\r", "\n", "\r\n", " ", "\t", "\x00", "\x0b", "\x0c", "\u2028",
    "\ufeff", "İ", "ß", "ﬁ", "\u3000", "中", "😀", "é", "\udc80", "\u202e", "never ", "max_", "the ", "prompt",
)  # fmt: skip
FRONTS = (
    "---\nname: x\ndescription: y\nallowed-tools: Read, Write\n---\n", "---\nname: [\n---\n", "---\nname: x\n",
    "---\na: &a [x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]\n---\n",
    "---\na: &a\n  b: *a\n---\n", "---\n? [a]\n: b\n---\n", "---\n<<: [1]\nname: 2001-99-99\n---\n",
    "---\r\nallowed-tools:\r\n  - Task(x)\r\n  - {a: b}\r\n---\r\n", "---\n- a\n---\n",
    "---\n!!python/object:x {}\n---\n",
    "---\nname: !!binary x\ndescription: 0x\n---\n", "---\n" + "  " * 60 + "a: b\n---\n", "\ufeff---\nname: x\n---\n",
)  # fmt: skip
PATHS = (
    "SKILL.md", "skill.md", "phases/01-plan.md", "phases/02-do.md", "phases/03-end.md", "actions/a.md", "roles/b.md",
    "specs/rules.md", "specs/state-schema.md", "templates/t.md", "references/r.md", "scripts/x.py", "data/a.json",
    "sub/SKILL.md", "sub/phases/01.md", "assets/i.png", "orchestrator.md", "ünïcode/中.md", "a b/c d.md", "x.ts",
    "README",
)  # fmt: skip


def _nested(depth: int, mark: str) -> str:
    return "\n".join(mark * level + "- at most 3 rounds `x`" for level in range(1, depth))


_lines = st.lists(st.sampled_from(LINES), max_size=30)
_marks = st.lists(st.sampled_from(MARKS), max_size=40).map("".join)
_huge = st.builds(lambda piece, times: piece * times, st.sampled_from((*MARKS, *LINES)), st.integers(50, 600))
_deep = st.builds(_nested, st.integers(5, 60), st.sampled_from(("  ", "> ", "\t", "    ")))
_parts = st.one_of(_lines.map("\n".join), _lines.map("\r\n".join), _marks, _huge, _deep, st.text(max_size=30))
_pages = st.builds(
    lambda front, parts, joint: front + joint.join(parts),
    st.sampled_from(("", *FRONTS)), st.lists(_parts, max_size=6), st.sampled_from(("\n", "\n\n", "\r\n", "\r", "")),
).map(lambda text: text.encode("utf-8", "surrogatepass"))  # fmt: skip
_bytes = st.one_of(_pages, _pages, _pages, st.binary(max_size=200))
skills = st.dictionaries(st.sampled_from(PATHS), _bytes, max_size=6).flatmap(
    lambda files: st.builds(lambda main: {"SKILL.md": main, **files}, _bytes)
)
"""Files of a skill by their paths."""


def held(files: dict[str, bytes]) -> SkillDiagnosis:
    """Reads and diagnoses twice: nothing fails, all places lie in their files, and both times say the same."""
    skill = read_skill("x", files)
    found = diagnose_skill(skill)
    assert found.problems == {}
    for finding in (*found.findings, *(one.finding for one in found.silenced)):
        _in_bounds(skill, finding)
    again = diagnose_skill(read_skill("x", dict(reversed(files.items()))))
    assert again == found, "the same files, told in another order"
    return found


def _in_bounds(skill: Skill, finding: Finding) -> None:
    page = skill.pages.get(finding.file)
    text = page.text if page else ""
    assert finding.file in skill.pages or finding.file in (skill.main, *skill.files), finding
    assert 0 <= finding.start <= finding.end <= len(text), finding
    assert finding.line == text.count("\n", 0, finding.start) + 1, finding
    assert finding.line <= finding.line_end <= text.count("\n") + 1, finding
    begin, stop = finding.marked
    assert 0 <= begin <= stop <= len(finding.excerpt), finding
    assert "\n" not in finding.excerpt, finding
    finding.model_dump_json()  # a journal must be able to hold it
