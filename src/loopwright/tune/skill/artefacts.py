"""Files of a skill's run: which are written, read, or named as what comes in and goes out."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.mentions import Mention
from loopwright.tune.skill.model import Argument, Artefact, Block, Call
from loopwright.tune.skill.names import DIR, artefact, is_variable, parts

Way = Literal["read", "write", "declare"]

READERS = frozenset({
    "Read", "read_file", "readFile", "readFileSync", "fs.readFileSync", "fs.readFile", "fs.promises.readFile",
    "view", "cat", "ReadFile", "load_json", "json.load", "exists", "existsSync", "fs.existsSync", "fileExists",
    "file_exists", "test", "loadJson", "readJson", "readJSON", "fs.readJson",
})  # fmt: skip
WRITERS = frozenset({
    "Write", "write_file", "writeFile", "writeFileSync", "fs.writeFileSync", "fs.writeFile",
    "fs.promises.writeFile", "Edit", "MultiEdit", "edit", "replace", "appendFileSync", "fs.appendFileSync",
    "appendFile", "fs.appendFile", "update_file", "create_file", "save_json", "writeJson", "writeJSON",
    "fs.writeJson", "edit_file", "NotebookEdit",
})  # fmt: skip
SHELLS = frozenset({"Bash", "bash", "run_shell_command", "exec_command", "shell", "exec", "execSync"})
_DATA = frozenset({
    "md", "json", "jsonl", "ndjson", "yaml", "yml", "csv", "tsv", "txt", "html", "log", "xml", "svg", "diff",
    "patch", "toml", "mmd", "sql",
})  # fmt: skip
_PROJECT_FILES = frozenset({
    "package.json", "package-lock.json", "tsconfig.json", "readme.md", "claude.md", "agents.md", "gemini.md",
    "skill.md", "changelog.md", "contributing.md", "license.md", "pyproject.toml", "cargo.toml", "go.mod",
    "requirements.txt", "composer.json", "pom.xml", "yarn.lock", "pnpm-lock.yaml", "docker-compose.yml",
    "docker-compose.yaml", "settings.json", "settings.local.json", ".mcp.json", "config.toml", "memory.md",
    "cargo.lock", "poetry.lock", "uv.lock", "package.lock", "robots.txt", "sitemap.xml", "tsconfig.base.json",
    "openapi.yaml", "openapi.json", "design.md", "next.config.js", "vite.config.ts", "tailwind.config.js",
    "manifest.json", "index.html", ".gitignore", "llms.txt", "security.md",
})  # fmt: skip
"""Files that projects have anyway."""
_WRITE = re.compile(
    r"\b(?:writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|append(?:s|ed)?"
    r"|stor(?:e|es|ed)|persist(?:s|ed)?|export(?:s|ed)?|emit(?:s|ted)?|dump(?:s|ed)?|record(?:s|ed)?|update(?:s|d)?|put(?:s)?"
    r"|output(?:s|ted)? (?:\w+ )?(?:to|in|as)|log(?:s|ged)? to|copy to|initiali[sz]e)\b"
    r"|写入|写到|保存|生成|创建|输出到|输出为|落盘|更新|记录到|追加|存入|存储|写",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\b(?:read(?:s|ing)?|load(?:s|ed|ing)?|open(?:s)?|pars(?:e|es|ed|ing)|consult(?:s)?|check(?:s)?|inspect(?:s)?|from|consum(?:e|es)"
    r"|import(?:s)?|us(?:e|es|ing)|look(?:s)? (?:at|in)|see|verify|exists?|compare|review|based on|according to)\b"
    r"|读取|加载|读入|解析|来自|查看|基于|根据|检查|打开|读|从",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:do not|don't|never|not|without|no need to)\b|不要|禁止|不得|勿", re.IGNORECASE)
_LABEL = re.compile(
    r"\A[\s>*_\-+|\d.)\[\]`#]*(?:inputs?|outputs?|produces?|deliverables?|artifacts?|artefacts?|writes?|reads?|files?|输入|输出|产出|产物|交付物)"
    r"[^:：\n]{0,30}[:：|]",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"(?:^|[;&|\n`(])\s*(?:sudo\s+)?([A-Za-z_][\w\-]*)[^;&|\n`]*\Z")
_SHELL_READS = frozenset({
    "cat", "jq", "head", "tail", "grep", "rg", "less", "source", "wc", "test", "ls", "stat", "awk", "sed",
    "python", "python3", "node", "diff", "sort", "yq",
})  # fmt: skip
_SHELL_WRITES = frozenset({"tee", "touch", "mv", "install", "rsync", "curl", "wget"})
_JOINED = re.compile(r"\b(?:path\.)?join\(([^()\n]{1,120})\Z|\b([A-Za-z_]\w*)\s*/\s*\Z")
_STRING = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")


def artefacts(
    ground: Ground, own: frozenset[int], calls: Mapping[int, tuple[int, Call, int]], bindings: Mapping[str, str]
) -> Iterator[Artefact]:
    """`own`: where the page names files of the skill, which are none. `calls`: the innermost call that a mention is an
    argument of, by its position, with its index and the argument's. In no order."""
    for mention in ground.mentions:
        if mention.start in own or mention.quote == "(":
            continue
        block = ground.block_at(mention.start)
        if block is None or block.kind == "heading":
            continue
        found = _artefact(ground, mention, block, calls.get(mention.start), bindings)
        if found is not None:
            yield found
    yield from _by_variable(ground, bindings)


def _artefact(
    ground: Ground, mention: Mention, block: Block, called: tuple[int, Call, int] | None, bindings: Mapping[str, str]
) -> Artefact | None:
    raw = mention.raw
    if "://" in raw or "*" in raw or "..." in raw or raw.startswith(("@", "~/.claude/skills", "//")):
        return None
    text = ground.page.text
    index = -1
    way: Way
    if called is not None and (told := _of_call(called[1], called[2], mention, text)) is not None:
        index, way = called[0] + ground.shift, told
    elif block.kind == "code":
        way = _of_code(text, mention, block)
    else:
        way = _of_words(text, mention, block)
    if block.kind == "code" or called is not None:
        raw = _joined(text, mention, block) + raw
    name = artefact(raw, bindings)
    if not _of_the_run(name, raw, mention, block, way, index >= 0):
        return None
    if "/" not in name:
        name = f"{DIR}/{name}"
    return Artefact(name, way, ground.at(mention.start, mention.end, block), mention.raw, index)


def _of_the_run(name: str, raw: str, mention: Mention, block: Block, way: Way, called: bool) -> bool:
    """Not a file that the project has anyway, nor code that is spoken of."""
    base = name.rsplit("/", 1)[-1].lower()
    data = base.rsplit(".", 1)[-1] in _DATA or base.endswith((".tmp", ".bak", ".prev", ".lock"))
    if base in _PROJECT_FILES or (base.startswith("<n>.") and "/" not in name):
        return way == "write" and called and "/" in name
    first = parts(raw)[0]
    if name.startswith(DIR + "/") or (first.startswith(".") and "/" in raw):
        return True
    if is_variable(first):
        return name.startswith("<home>") is False
    if called or way == "write":
        return data
    return (data and (mention.ticked or mention.quote != "") and block.kind != "code") or (data and way == "read")


def _of_call(call: Call, argument: int, mention: Mention, text: str) -> Way | None:
    """What the call does to the file; None where it only hands the name on, as a prompt does."""
    name = call.name
    if name in WRITERS:
        return "write" if argument == 0 or call.arguments[argument].name in ("file_path", "path", "file") else None
    if name in READERS or name.endswith((".readFileSync", ".exists")):
        return "read"
    if name in SHELLS:
        return _of_shell(text, mention.start, max(0, call.at.start))
    if name == "open" and call.arguments:
        modes = [one.literal or "" for one in call.arguments[1:]]
        return "write" if any(mode[:1] in ("w", "a", "x") for mode in modes) else "read"
    return None


def _of_shell(text: str, start: int, least: int) -> Way:
    before = text[max(least, start - 200) : start].rstrip("\"' ")
    if before.endswith(">"):
        return "write"
    if before.endswith("<"):
        return "read"
    found = _COMMAND.search(before)
    command = found[1] if found else ""
    if command in ("mv", "cp", "rsync", "install"):
        return (
            "write"
            if re.search(r"[\w}/\"'*]\s+\S*\Z", before[found.start(1) + len(command) :] if found else "")
            and not before.endswith(command)
            else "read"
        )
    if command in _SHELL_READS:
        return "read"
    return "write" if command in _SHELL_WRITES else "declare"


def _of_code(text: str, mention: Mention, block: Block) -> Way:
    line = text[max(block.body, text.rfind("\n", 0, mention.start) + 1, mention.start - 200) : mention.start]
    if block.lang in ("bash", "sh", "shell", "zsh", "console"):
        return _of_shell(text, mention.start, block.body)
    if re.search(r"(?:write_text|Write|writeFile\w*|writeJson|json\.dump|to_csv|savefig|Edit)\s*\(", line):
        return "write"
    if re.search(r"(?:\bRead|readFile\w*|read_text|json\.load|exists\w*|loadJson|readJson)\s*\(", line):
        return "read"
    stripped = line.lstrip()
    if block.lang in ("", "text", "markdown", "md", "plaintext") or stripped.startswith(("//", "#", "*")):
        return _of_words(text, mention, block)
    return "declare"


def _of_words(text: str, mention: Mention, block: Block) -> Way:
    """By the verb that stands nearest before it in its sentence; labels and cells only name it."""
    begin = max(block.start, text.rfind("\n", 0, mention.start) + 1, mention.start - 160)
    line = text[begin : mention.start]
    if block.kind == "row" or _LABEL.match(line):
        return "declare"
    line = line[max(line.rfind(". "), line.rfind("。"), line.rfind("; "), line.rfind("；")) + 1 :]
    last: Way = "declare"
    place = -1
    for way, pattern in (("write", _WRITE), ("read", _READ)):
        for found in pattern.finditer(line):
            if found.start() > place:
                place, last = found.start(), way  # type: ignore[assignment]
    if place >= 0 and _NOT.search(line[max(0, place - 16) : place]):
        return "declare"
    return last


def _joined(text: str, mention: Mention, block: Block) -> str:
    """What `path.join(workDir, "findings", …)` and `work_dir / …` put before it."""
    if not mention.quote or is_variable(parts(mention.raw)[0]):
        return ""
    before = text[max(block.body, mention.start - 140) : mention.start - 1]
    if not before.rstrip().endswith((",", "/")):
        return ""
    found = _JOINED.search(before)
    if found is None:
        return ""
    if found[2]:
        return f"${{{found[2]}}}/"
    pieces = [piece.strip() for piece in found[1].split(",")[:-1]]
    return "".join((piece[1:-1] if _STRING.fullmatch(piece) else f"${{{piece}}}") + "/" for piece in pieces if piece)


def _by_variable(ground: Ground, bindings: Mapping[str, str]) -> Iterator[Artefact]:
    """`Read(statePath)`, where the skill says what `statePath` is."""
    for index, call in enumerate(ground.code.calls):
        way = "read" if call.name in READERS else "write" if call.name in WRITERS else None
        if way is None or not call.arguments:
            continue
        argument = _path_argument(call)
        value = bindings.get(argument.value.strip()) if argument else None
        if argument is None or value is None:
            continue
        name = artefact(value, bindings)
        if "*" in name or name == DIR:
            continue
        name = name if "/" in name else f"{DIR}/{name}"
        at = ground.at(argument.at.start, argument.at.end)
        yield Artefact(name, "read" if way == "read" else "write", at, value, index + ground.shift)


def _path_argument(call: Call) -> Argument | None:
    for name in ("file_path", "path", "absolute_path"):
        if (found := call.argument(name)) is not None:
            return found
    return call.arguments[0] if call.arguments and call.arguments[0].name is None else None
