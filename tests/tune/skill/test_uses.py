"""What a block is to the model that reads it."""

import pytest

from loopwright.tune.skill.labels import Label, label_of, names_prompt
from loopwright.tune.skill.model import Use
from tests.tune.skill.pages import block_with, page_of

CALL = 'Task({ prompt: "x" })'


def use_of(text: str, words: str, path: str = "SKILL.md") -> Use:
    return block_with(page_of(text, path), words).use


@pytest.mark.parametrize(
    ("label", "texts"),
    [
        ("negative", ("Bad:", "❌ Wrong", "**Don't do this:**", "Never write these:", "反例，评审见到就退：",
        "错误示例", "**❌**",
                      "Before:", "This is wrong:", "Do it well. Not like this:", "不要模仿：", "Bad (shortened,"
                      " term ignored):",
                      "The old way (bad):")),
        ("prompt", ("Agent prompt:", "**Scoring prompt** (use opus, temperature 0.1):",
        "Spawn it with this prompt:", "提示词：",
                    "Prompt template for reviewers:", "Message to the agent:")),
        ("example", ("For example:", "such as", "示例：", "**Example**", "An example of a good remedy:",
        "Use a lock, e.g.:")),
        ("quotation", ("The user says:", "You will see:", "Usage:", "日志：")),
        ("template", ("The report looks like this:", "Write it in this format:", "报告模板", "Tell the user:",
        "Prompt the user with:")),
        ("state", ("The state:", "Initial state", "状态结构")),
        ("good", ("✅ Correct:", "Better:", "正确：")),
        (None, ("Run:", "Before finalizing:", "Before blocking on the answer, run:", "Spawn the reviewers:", "",
        "If it is not there, run:",
                "Do not loft when the answer is known, or it is late; run:")),
    ],
)  # fmt: skip
def test_what_the_sentence_above_says(label: Label | None, texts: tuple[str, ...]) -> None:
    assert {text: label_of(text) for text in texts} == dict.fromkeys(texts, label)


def test_titles_of_prompts() -> None:
    assert all(map(names_prompt, ("Agent prompt", "Prompt template", "2. Reviewer prompt (short)", "提示词")))
    assert not any(
        map(names_prompt, ("Prompt the user", "PROMPT FOR DECISION", "Two-Prompt System", "Prompt injection"))
    )


@pytest.mark.parametrize(
    ("text", "words", "use"),
    [
        (f"## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## Anti-patterns\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Anti-patterns\n### Too many agents\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Anti-patterns\ntext\n## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"# Anti-pattern hunter\n## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## Find anti-patterns\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## ❌ Wrong\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Steps\nDon't do this:\n\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Steps\n```js\n// ❌ no\n{CALL}\n```", CALL, "negative"),
        (f"## Steps\n```js\n// BAD: waits for ever\n{CALL}\n```", CALL, "negative"),
        (f"## Steps\n```js\n// good\n{CALL}\n// BAD\nwait()\n```", CALL, "reference"),
        (f"## Steps\nFor example:\n```js\n{CALL}\n```", CALL, "reference"),
        (f"## How it works\n```js\n{CALL}\n```", CALL, "reference"),
        (f"## How it works\nIt works.\n### Step 1\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## FAQ\n### Why?\n```js\n{CALL}\n```", CALL, "reference"),
        (f"## Steps\n<bad-example>\n```js\n{CALL}\n```\n</bad-example>", CALL, "negative"),
        (f"## Steps\n<Examples>\n<Bad>\n```js\n{CALL}\n```\n</Bad>\n</Examples>", CALL, "negative"),
        (f"## Steps\n<example>\n\n```js\n{CALL}\n```\n", CALL, "instruction"),
        ("## Steps\n```tsx\nimport x from 'y'\n```", "import", "reference"),
        ("## Steps\n```sql\nSELECT 1\n```", "SELECT", "reference"),
        ("## Steps\n```bash\nnpm test\n```", "npm", "instruction"),
        ("## Steps\nUsage:\n```bash\nnpm test\n```", "npm", "reference"),
        ("## Steps\n```\n/my-skill --yes\n```", "/my-skill", "reference"),
        ("## Steps\n```js\nstate.items.push(x)\n```", "push", "reference"),
        ("## Steps\nSee phases/01.md\n```js\nstate.items.push(x)\n```", "push", "instruction"),
        ("## State\n```typescript\ninterface State { a: string }\n```", "interface", "instruction"),
        ("## Types\n```typescript\ninterface Props { a: string }\n```", "interface", "reference"),
        ("## Initial state\n```json\n{\"a\": 1}\n```", '"a"', "instruction"),
        ("## Format\n```json\n{\"$schema\": \"x\"}\n```", "$schema", "instruction"),
        ("## Output\n```json\n{\"a\": 1}\n```", '"a"', "template"),
        ("## Example\n```json\n{\"a\": 1}\n```", '"a"', "template"),
        ("## Write the report\n```markdown\n# {title}\n```", "{title}", "template"),
        ("## Report template\n```\nTitle: x\n```", "Title", "template"),
        ("## Agent prompt\n```\nYou are a reviewer.\n```", "You are", "prompt"),
        ("## Steps\nAgent prompt:\n\n> You are a reviewer.", "You are", "prompt"),
        ("## Steps\n```prompt\nYou are.\n```", "You are", "prompt"),
        ("## Folders\nstate.json\n```\nrun/\n├── state.json\n```", "├──", "instruction"),
        ("## Layout\n```\nsrc/\n├── main.kt\n```", "├──", "reference"),
        ("## Talk\n```\nUser: do it\n```", "User", "quotation"),
        ("## Clocks\n```\n[21:09:40] svc ERROR\n```", "svc", "quotation"),
        ("## Stages\n```\n[plan, build, check]\n```", "plan", "instruction"),
        ("## Paths\n```\nOUT=\"<a>/<b>/<c>\"\n```", "OUT", "instruction"),
        ("## Pitfalls\nAlways write this instead:\n```css\nx\n```", "x", "negative"),
        ("## Pitfalls\nBetter:\n```css\nx\n```", "x", "reference"),
        ("## Anti-pattern detection\n```bash\nrg x\n```", "rg", "instruction"),
    ],
)  # fmt: skip
def test_code(text: str, words: str, use: Use) -> None:
    assert use_of(text, words) == use


@pytest.mark.parametrize(
    ("text", "words", "use"),
    [
        ("## Rules\n- Never wait without a limit", "Never", "instruction"),
        ("## MUST NOT\n- spawn agents", "spawn", "instruction"),
        ("## Rules\nNever:\n- spawn agents", "spawn", "instruction"),
        ("## Rules\n🚫 FORBIDDEN to go on", "FORBIDDEN", "instruction"),
        ("## Checklist\n- ✅ Tests pass", "Tests", "instruction"),
        ("## ✅ Checklist\n- Tests pass", "Tests", "instruction"),
        ("## Rules\n- ❌ wait for ever", "wait", "negative"),
        ("## Rules\n- **Bad**: wait for ever\n  - and deeper\n- Good", "deeper", "negative"),
        ("## Rules\n- **Bad**: wait for ever\n  - and deeper\n- Go on", "Go on", "instruction"),
        ("## Rules\nBad examples:\n- wait for ever\n- spin\n\nNow work.", "spin", "negative"),
        ("## Rules\nBad examples:\n- wait for ever\n- spin\n\nNow work.", "Now work", "instruction"),
        ("## Rules\nBefore finalizing:\n- verify", "verify", "instruction"),
        ("## Examples\nGo.", "Go.", "reference"),
        ("## Usage\nGo.", "Go.", "instruction"),
        ("## Rules\nFor example, go.", "go.", "reference"),
        ("## When to use\n- \"Write it up.\"", "Write", "quotation"),
        ("## Steps\nUser: do it", "User", "quotation"),
        ("## Steps\n| ❌ Bad | ✅ Good |\n|---|---|\n| wait | wait 5 |", "wait 5", "negative"),
        ("## Steps\n| Field | Avoid |\n|---|---|\n| a | b |\n", " a ", "negative"),
        ("## Steps\n| Field | Use | Avoid |\n|---|---|---|\n| a | b | c |\n", " a ", "instruction"),
        ("## Steps\n| Tool | Here |\n|---|---|\n| Bash | ❌ |", "Bash", "instruction"),
        ("## Steps\n| Do | Not |\n|---|---|\n| ❌ waiting | x |", "waiting", "negative"),
        ("## Steps\n> **IMPORTANT**: read first", "IMPORTANT", "instruction"),
        ("## Steps\n> [!NOTE]\n> read first", "NOTE", "instruction"),
        ("## Steps\n> ⚠️ read first", "read", "instruction"),
        ("## Steps\n> It was a dark night.", "dark", "quotation"),
        ("## Steps\nTell the user:\n\n> It is done.", "done", "template"),
        ("## Steps\nThe same for samples:\n\n> **A sample**: spawn many agents", "sample**", "quotation"),
        ("## Steps\n<!-- later -->", "later", "reference"),
        ("## Anti-patterns\ntext", "Anti", "negative"),
        ("## Mistakes to avoid\n### PASS: CORRECT: Test it\nSo.", "So.", "reference"),
        ("## Rules\nThe first line is exactly this; do not omit it:\n\n> Threshold: {x}", "Threshold", "quotation"),
        ("## Anti-patterns\n- x\n\n**Remember**: do it well.", "Remember", "instruction"),
        ("## Errors\n| 错误 | 解决 |\n|---|---|\n| 401 | x |", "401", "instruction"),
        ("## Steps\nIf the user asks about servers, point at:\n- here", "here", "instruction"),
    ],
)  # fmt: skip
def test_prose(text: str, words: str, use: Use) -> None:
    assert use_of(text, words) == use


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("phases/01.md", "instruction"), ("templates/a.md", "template"), ("references/a.md", "reference"),
        ("scripts/README.md", "reference"), ("specs/a.md", "instruction"), ("notes.md", "instruction"),
    ],
)  # fmt: skip
def test_the_kind_of_the_page_is_where_it_begins(path: str, use: Use) -> None:
    assert use_of("Go on.", "Go on", path) == use


@pytest.mark.parametrize(
    ("path", "text", "use"),
    [
        ("specs/state.json", '{"$schema": "x"}', "instruction"),
        ("data.json", '{"a": 1}', "reference"),
        ("templates/a.json", '{"$schema": "x"}', "instruction"),
        ("scripts/a.py", '"properties"', "reference"),
    ],
)  # fmt: skip
def test_other_files(path: str, text: str, use: Use) -> None:
    assert page_of(text, path).blocks[0].use == use


def test_what_is_bad_in_a_reference_is_still_bad() -> None:
    assert use_of("## T\nBad:\n\n```js\nx\n```", "x", "references/a.md") == "negative"
