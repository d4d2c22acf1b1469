"""What a fenced block is: work to do, a prompt, the shape of something to write, or code that is only shown."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from loopwright.tune.skill.labels import Label
from loopwright.tune.skill.model import PageKind, Use
from loopwright.tune.skill.toolnames import TOOLS

Stance = Literal["", "negative", "good", "example", "reference", "shown", "template", "prompt", "state"]
"""What a section's title or a tag says of what is in it; empty: nothing."""

TEXT: Final = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md", "mdx", "none", "output"})
MARKDOWN: Final = frozenset({"markdown", "md", "mdx"})
JSON: Final = frozenset({"json", "jsonc", "json5", "jsonl"})
SHAPES: Final = frozenset({
    "json", "jsonc", "json5", "jsonl", "ndjson", "yaml", "yml", "toml", "ini", "xml", "csv", "tsv", "env",
    "properties", "dotenv", "gitignore", "diff", "patch",
})  # fmt: skip
SHELLS: Final = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "powershell", "ps1", "cmd", "bat", "terminal", "shell-session"}
)
PSEUDO: Final = frozenset({
    "javascript", "js", "typescript", "ts", "python", "py", "python3", "pseudo", "pseudocode", "pseudo-code", "mjs",
    "node",
})  # fmt: skip
GRAPHS: Final = frozenset({"dot", "mermaid", "graphviz", "plantuml"})
LOGS: Final = frozenset({"console", "output", "log", "shell-session", "terminal"})
_TOOL_NAMES: Final = tuple(sorted(TOOLS))
_TOOL_CALLED = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(TOOLS))})\(")
_PROGRAMS: Final = ("ccw ", "codex ", "claude ", "gemini ", "qwen ")
_COMMAND = re.compile(r"^[ \t]*(?:ccw (?:cli|tool)|codex exec|claude -p|gemini -p|qwen -p)\b", re.MULTILINE)
_BAD_COMMENT = re.compile(
    r"(?:[#;%]|//|--|/\*|<!--)[ \t]*(?:\d+[.)][ \t]*)?"
    r"(?:❌|✗|✘|🚫|⛔|错误|反例|不要|避免|(?:BAD|WRONG|INCORRECT|AVOID|DON'?T|NEVER|NOT|Bad|Wrong|Incorrect|Avoid|Don't"
    r"|[Aa]nti-?pattern|BEFORE|Before|(?:bad|wrong|incorrect)(?=:))\b)"
)
_BAD_WORDS: Final = (
    "bad", "wrong", "incorrect", "avoid", "don't", "dont", "never", "not", "pattern", "before",
    "❌", "✗", "✘", "🚫", "⛔", "错误", "反例", "不要", "避免",
)  # fmt: skip
_SCHEMA = re.compile(r"\"\$schema\"|\"properties\"[ \t]*:|\"additionalProperties\"|\"\$ref\"")
_DECLARED = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:interface|type|enum)[ \t]+\w+|^class \w+\((?:TypedDict|BaseModel)\)", re.MULTILINE
)
_DECLARES: Final = ("interface ", "type ", "enum ", "(TypedDict)", "(BaseModel)")
_PRODUCT = re.compile(
    r"^[ \t]*(?:import[ \t]+(?:[\w{*\"']|type\b)|from[ \t]+[\w.]+[ \t]+import\b|@\w+|#!/|class[ \t]+\w+|def[ \t]+test_"
    r"|export[ \t]+(?:default|const|function|class|async)\b|(?:describe|it|test)\("
    r"|const[ \t]+\w+[ \t]*=[ \t]*require\()",
    re.MULTILINE,
)
_CALL = re.compile(r"[A-Za-z_]\w{2,40}\(\{\s")
"""A fence that begins so is a call, whatever is called."""
_SLASH = re.compile(r"(?:[$>][ \t]*)?/[a-z][\w:-]*(?:[ \t]|$)")
_EXAMPLE = re.compile(r"example\b|示例|例如|例：", re.IGNORECASE)
_SPOKEN = re.compile(
    r"(?:User|Human|Assistant|Claude|Agent|You|用户|助手)[ \t]*[:：>]|[\"“]|\[?\d{1,4}[:-]\d\d[:-]\d\d", re.IGNORECASE
)
"""Somebody's words, or a line of a log with its time."""
_SETTING = re.compile(r"[A-Z_]{2,}=")
_PLACEHOLDER = re.compile(r"\{\{?[\w .|/-]+\}?\}|<[a-z][\w .|/-]*>|\[[A-Za-z][^\],\n]{2,60}\](?!\()|\bX+\b|\$\{\w+\}")


@dataclass(frozen=True, slots=True)
class Around:
    """What is known where a block of code stands. `works`: its page is the course of an agent, or calls its tools."""

    stance: Stance
    label: Label | None
    kind: PageKind
    default: Use
    works: bool


def _bad_comment(code: str) -> re.Match[str] | None:
    """Words are looked for first: most code has none of them, and the pattern is slow."""
    low = code.lower()
    return _BAD_COMMENT.search(code) if [word for word in _BAD_WORDS if word in low] else None


def calls_tools(code: str) -> bool:
    """It calls what only agents have."""
    # What stands before the brackets is looked at first: that is many times faster than the pattern.
    called = code.split("(")[:-1]
    if any(one.endswith(_TOOL_NAMES) for one in called) and _TOOL_CALLED.search(code):
        return True
    return "mcp__" in code or (any(name in code for name in _PROGRAMS) and bool(_COMMAND.search(code)))


def use_of_code(code: str, lang: str, around: Around) -> Use:
    """The use of one fenced block."""
    if around.label == "negative" or (around.stance == "negative" and around.label != "good"):
        return "negative"
    if bad := _bad_comment(code):
        return "negative" if not code[: bad.start()].strip() else "reference"
    shown = around.stance in ("example", "reference", "good", "shown")
    if lang == "prompt" or (lang in TEXT and not shown and "prompt" in (around.label, around.stance)):
        return "prompt"
    if around.default == "reference" or shown:
        return "template" if lang in MARKDOWN or lang in JSON else "reference"
    if lang in SHAPES:
        return _of_shape(code, around)
    if lang in SHELLS:
        return _of_commands(code, lang, around)
    if lang in PSEUDO:
        return _of_program(code, around)
    if lang in MARKDOWN:
        return "template"
    if lang in TEXT:
        return _of_text(code, around)
    return "instruction" if lang in GRAPHS else "reference"


def _of_shape(code: str, around: Around) -> Use:
    """A schema and the declared state are work; any other JSON is the shape of something."""
    if around.label == "example" or code.startswith("---"):
        return "template"
    if _SCHEMA.search(code) or around.kind == "spec" or "state" in (around.label, around.stance):
        return "instruction"
    return "template"


def _of_commands(code: str, lang: str, around: Around) -> Use:
    if around.label in ("example", "quotation") or _SLASH.match(code.lstrip()):
        return "reference"
    if code.startswith("#!"):
        return "template"
    if lang in LOGS and around.label == "template":
        return "quotation"
    return "instruction"


def _of_program(code: str, around: Around) -> Use:
    if around.label in ("example", "good"):
        return "reference"
    if calls_tools(code):
        return "instruction"
    if any(word in code for word in _DECLARES) and _DECLARED.search(code):
        return "instruction" if around.works or around.stance == "state" or around.kind == "spec" else "reference"
    return "instruction" if around.works and not _PRODUCT.search(code) else "reference"


def _of_text(code: str, around: Around) -> Use:
    """A fence without a language: a diagram, pseudo-code, a form to fill in, something said, or commands."""
    if calls_tools(code):
        return "reference" if around.label == "example" else "instruction"
    begin = code.lstrip()
    if _CALL.match(begin) and around.works and around.label != "example":
        return "instruction"
    if around.label == "example" or _SLASH.match(begin) or _EXAMPLE.match(begin):
        return "reference"
    if around.label == "quotation" or _SPOKEN.match(begin):
        return "quotation"
    if "├─" in code or "└─" in code or begin.partition("\n")[0].endswith("/"):
        return "instruction" if around.works else "reference"
    if "template" in (around.label, around.stance):
        return "template"
    if "→" in code or "->" in code or "│" in code:
        return "instruction"
    if _SETTING.match(begin):
        return "instruction"
    return "template" if begin[:1] in ("#", "{", "<") or len(_PLACEHOLDER.findall(code)) >= 3 else "instruction"
