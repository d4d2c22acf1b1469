"""Files of a skill's run: which are written, read, or named as what comes in and goes out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.mentions import Mention
from loopwright.tune.skill.model import Argument, Artefact, Block, Call
from loopwright.tune.skill.names import DIR, PROJECT, artefact, is_variable, parts, variable
from loopwright.tune.skill.ways import Way, maybe, of_code, of_shell, of_words

READERS = frozenset({
    "Read", "read_file", "readFile", "readFileSync", "fs.readFileSync", "fs.readFile", "fs.promises.readFile", "view",
    "cat", "ReadFile", "load_json", "json.load", "exists", "existsSync", "fs.existsSync", "fileExists", "file_exists",
    "test", "loadJson", "readJson", "readJSON", "fs.readJson",
})  # fmt: skip
WRITERS = frozenset({
    "Write", "write_file", "writeFile", "writeFileSync", "fs.writeFileSync", "fs.writeFile", "fs.promises.writeFile",
    "Edit", "MultiEdit", "edit", "replace", "appendFileSync", "fs.appendFileSync", "appendFile", "fs.appendFile",
    "update_file", "create_file", "save_json", "writeJson", "writeJSON", "fs.writeJson", "edit_file", "NotebookEdit",
})  # fmt: skip
SHELLS = frozenset({"Bash", "bash", "run_shell_command", "exec_command", "shell", "exec", "execSync"})
_PATHS = ("file_path", "path", "absolute_path", "file", "filePath")
_DATA = frozenset({
    "md", "json", "jsonl", "ndjson", "yaml", "yml", "csv", "tsv", "txt", "html", "log", "xml", "svg", "diff", "patch",
    "toml", "mmd", "sql", "tmp", "bak", "prev", "lock", "dot",
})  # fmt: skip
PROJECT_FILES = frozenset({
    "package.json", "package-lock.json", "tsconfig.json", "readme.md", "claude.md", "agents.md", "gemini.md",
    "skill.md", "changelog.md", "contributing.md", "license.md", "pyproject.toml", "cargo.toml", "go.mod",
    "requirements.txt", "composer.json", "pom.xml", "yarn.lock", "pnpm-lock.yaml", "docker-compose.yml",
    "docker-compose.yaml", "settings.json", "settings.local.json", ".mcp.json", "config.toml", "memory.md",
    "cargo.lock", "poetry.lock", "uv.lock", "package.lock", "robots.txt", "sitemap.xml", "tsconfig.base.json",
    "openapi.yaml", "openapi.json", "design.md", "index.html", "llms.txt", "security.md", "pubspec.yaml",
    "biome.json", "turbo.json", "deno.json", "mkdocs.yml", "conftest.py", "mix.lock", "gemfile.lock",
    "composer.lock", "vercel.json", "angular.json", "nx.json", "lerna.json", "pnpm-workspace.yaml", "hooks.json",
    "plugin.json", "marketplace.json", "claude.local.md",
})  # fmt: skip
"""Files that projects have anyway."""
_JOINED = re.compile(r"\b(?:path\.)?join\(([^()\n]{1,120})\Z|\b([A-Za-z_]\w*)\s*/\s*\Z")
_STRING = re.compile(r"([\"'`])[^\"'`]*\1")

Called = tuple[int, Call, int]
"""A call's index in its page, the call, and the index of one of its arguments."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a skill says of the folder of its run: files and folders in it; `bindings`: paths of its variables.

    `bases`: files in sub-folders by their last names, where only one has it.
    """

    files: frozenset[str]
    folders: frozenset[str]
    bases: Mapping[str, str]
    bindings: Mapping[str, str]

    def placed(self, name: str) -> str:
        """A file that is named alone, or by a folder of the run, lies in the folder of the run."""
        if "/" not in name:
            inner = f"{DIR}/{name}"
            return inner if inner in self.files else self.bases.get(name, inner)
        return f"{DIR}/{name}" if name.split("/", 1)[0] in self.folders else name


def run_of(raws: Iterable[str], bindings: Mapping[str, str]) -> Run:
    """`raws`: all paths that the skill names."""
    named = set(raws)
    found = (artefact(raw, bindings) for raw in named if "/" in raw and (raw[0] in "$<{[." or raw[0].isupper()))
    files = frozenset(name for name in found if name.startswith(DIR + "/"))
    folders = frozenset(name.split("/", 2)[1] for name in files if name.count("/") > 1)
    below = (artefact(raw, bindings) for raw in named if raw.split("/", 1)[0] in folders)
    bases: dict[str, str] = {}
    for name in sorted(files | {f"{DIR}/{name}" for name in below}):
        base = name.rsplit("/", 1)[-1]
        bases[base] = name if base not in bases else ""
    return Run(files, folders, {base: name for base, name in bases.items() if name}, bindings)


def artefacts(ground: Ground, own: frozenset[int], calls: Mapping[int, Called], run: Run) -> Iterator[Artefact]:
    """`own`: where the page names files of the skill, which are none. `calls`: the innermost call that a mention is an
    argument of, by the mention's position. In no order."""
    for mention in ground.mentions:
        raw = mention.raw
        if mention.start in own or mention.quote == "(" or "://" in raw or "*" in raw or raw.startswith(("@", "//")):
            continue
        block = ground.block_at(mention.start)
        if block is None or block.kind in ("heading", "front"):
            continue
        found = _artefact(ground, mention, block, calls.get(mention.start), run)
        if found is not None:
            yield found
    yield from _by_variable(ground, run)


def _artefact(ground: Ground, mention: Mention, block: Block, called: Called | None, run: Run) -> Artefact | None:
    text, raw = ground.page.text, mention.raw
    way = _of_call(called[1], called[2], mention, text) if called is not None else None
    index = called[0] + ground.shift if called is not None and way is not None else -1
    if way is None:
        way = _told(ground, mention, block)
    if block.kind == "code" or called is not None:
        raw = _joined(text, mention, block) + raw
    name = artefact(raw, run.bindings)
    if not _of_the_run(name, raw, mention, block, way, index >= 0):
        return None
    at = ground.at(mention.start, mention.end, block)
    absent = way != "write" and maybe(text, mention.start, mention.end, block.start, block.end)
    return Artefact(run.placed(name), way, at, mention.raw, index, absent)


def _told(ground: Ground, mention: Mention, block: Block) -> Way:
    if block.kind == "row":
        return "declare"
    text, start, end = ground.page.text, mention.start, mention.end
    if block.kind == "code":
        return of_code(text, start, end, block.body, block.lang, ground.in_prompt(start))
    return of_words(text, start, end, block.start)


def _of_the_run(name: str, raw: str, mention: Mention, block: Block, way: Way, called: bool) -> bool:
    """Not a file that the project has anyway, nor one that is only spoken of."""
    base = name.rsplit("/", 1)[-1].lower()
    if base.rsplit(".", 1)[-1] not in _DATA and not (called and way == "write"):
        return False
    if base in PROJECT_FILES or (base.startswith("<n>.") and "/" not in name):
        return way == "write" and called and "/" in name
    first = parts(raw)[0]
    if name.startswith(DIR + "/") or (first.startswith(".") and "/" in raw):
        return not name.startswith("..")
    if name.startswith("<"):
        return name.startswith("<home>/.") and "/.claude/skills/" not in name
    if called or way == "write":
        return True
    if (is_variable(first) and variable(first) in PROJECT) or base.startswith("."):
        return way == "read"
    return way == "read" or ((mention.ticked or mention.quote != "") and block.kind != "code")


def _of_call(call: Call, argument: int, mention: Mention, text: str) -> Way | None:
    """What the call does to the file; None where it only hands the name on, as a prompt does."""
    name = call.name
    if name in WRITERS:
        return "write" if argument == 0 or call.arguments[argument].name in _PATHS else None
    if name in READERS or name.endswith((".readFileSync", ".exists")):
        return "read"
    if name in SHELLS:
        return of_shell(text, mention.start, call.at.start)
    if name == "open" and call.arguments:
        modes = [one.literal or "" for one in call.arguments[1:]]
        return "write" if any(mode[:1] in ("w", "a", "x") for mode in modes) else "read"
    return None


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


def _by_variable(ground: Ground, run: Run) -> Iterator[Artefact]:
    """`Read(statePath)`, where the skill says what `statePath` is."""
    for index, call in enumerate(ground.code.calls):
        way: Way | None = "read" if call.name in READERS else "write" if call.name in WRITERS else None
        argument = _path_argument(call) if way is not None else None
        value = run.bindings.get(argument.value.strip()) if argument is not None else None
        if way is None or argument is None or value is None:
            continue
        name = run.placed(artefact(value, run.bindings))
        if "*" in name or name == DIR:
            continue
        yield Artefact(name, way, ground.at(argument.at.start, argument.at.end), value, index + ground.shift)


def _path_argument(call: Call) -> Argument | None:
    for name in _PATHS:
        if (found := call.argument(name)) is not None:
            return found
    return call.arguments[0] if call.arguments and call.arguments[0].name is None else None
