"""Variables of the shell that a skill's commands use and that nothing sets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, Skill

_USED = re.compile(r"(?<![\\$])\$\{?(?P<name>[A-Z][A-Z0-9_]{2,40})\b(?P<rest>\}|:[-?=+])?(?!\$)")
_OF_THE_SYSTEM = re.compile(
    r"(?:HOME|PATH|USER|PWD|OLDPWD|SHELL|EDITOR|TMPDIR|TMP|TEMP|LANG|TERM|RANDOM|PPID|UID|EUID|IFS|OSTYPE"
    r"|ARGUMENTS|ARGS|LOGNAME|REPLY|PIPESTATUS|FUNCNAME|SHLVL|COLUMNS|LINES|OPTARG|OPTIND|DISPLAY|PAGER|VISUAL"
    r"|BROWSER|EPOCHSECONDS|VIRTUAL_ENV|GOPATH|GOBIN|KUBECONFIG|WORKSPACE|LOCALAPPDATA|PROGRAMFILES|WINDIR|COMSPEC"
    r"|ARGV|CI|PORT|DEBUG|LINENO|SECONDS|APPDATA|USERPROFILE|SKILLS?(?:_DIR|_PATH|_FOLDER|_BASE)?|(?:HOST|TMUX|GITHUB_"
    r"|CLAUDE|CODEX|GEMINI|PLUGIN_|XDG_|BASH|NODE_|NPM_|GIT_|CI_|RUNNER_|CONDA_|JAVA_|ANDROID_|DOCKER_|LD_"
    r"|PYTHON|SSH_|AWS_|LC_)\w*|\w*(?:KEY|TOKEN|SECRET|PASSWORD|_URL|_HOST|_HOME|_ROOT|_PAT|_ID|_DSN))\Z"
)
_SHELLS = frozenset({"", "bash", "sh", "shell", "zsh", "console", "terminal", "shellsession", "fish", "ksh"})
_TOLD_BEFORE = re.compile(
    r"(?:\b(?:called|named|denoted|written|below|as|is|are|define[sd]?|exports?|sets?|lets?)"
    r"|记作|记为|称为|称作|写作|叫作?|即|为|是|设|变量)[ `\"'“(（*]{0,4}\Z",
    re.IGNORECASE,
)
_TOLD_AFTER = re.compile(
    r"[}`\"'”)）*]{0,4} ?(?:(?:is|are|means?|stands? for|holds?|contains?|refers?|points?|names?|denotes?|comes? from"
    r"|defaults?|must|has)\b|是|为|指|表示|即|代表|来自|取自|默认)",
    re.IGNORECASE,
)
_LABELS = re.compile(r"[}`\"'”)）*]{0,4} {0,2}(?:[:：=—–→|(（]|->|- )")
"""Behind a name in words or in a table: what it is comes next."""
_HUMP = re.compile(r"[_-]|[a-z][A-Z]")
MANY, FEWEST = 400, 2
"""Uses on a page that are looked at; so many make it more than a slip of the keys."""


@dataclass(frozen=True, slots=True)
class Unset:
    page: Page
    name: str
    start: int
    end: int
    count: int


def unset(skill: Skill) -> Iterator[Unset]:
    uses: dict[str, list[tuple[Page, re.Match[str]]]] = {}
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template", "reference") or "$" not in page.text:
            continue
        for found in islice(_USED.finditer(page.text), MANY):
            if _in_a_command(page, found):
                uses.setdefault(found["name"], []).append((page, found))
    for name, places in uses.items():
        guarded = any((found["rest"] or "").startswith(":") for _, found in places)
        if len(places) < FEWEST or guarded or _OF_THE_SYSTEM.match(name) or _named(skill, name):
            continue
        page, found = places[0]
        yield Unset(page, name, found.start(), found.end(), len(places))


def _in_a_command(page: Page, found: re.Match[str]) -> bool:
    """Code of the shell or what is quoted as code: `$ABC` in words is a share or a sum, in a prompt a place to fill."""
    block = page.blocks[block_at(page, found.start())]
    if block.use not in ("instruction", "prompt"):
        return False
    if block.kind == "code":
        return block.lang.lower() in _SHELLS and (block.use == "instruction" or block.lang != "")
    return _is_ticked(page, block, found.start())


def _is_ticked(page: Page, block: Block, at: int) -> bool:
    line = max(page.text.rfind("\n", 0, at) + 1, block.start)
    return page.text.count("`", line, at) % 2 == 1


def _named(skill: Skill, name: str) -> bool:
    """Anything but a use of it: an assignment, a sentence that sets it, a table of what is in the environment."""
    other = re.compile(rf"(?<![${{\w]){name}\b|\${name}\s*(?:[-+:]?=(?!=))")
    same = re.compile("(?<![A-Za-z0-9_-])" + "[_-]?".join(name.replace("_", "")) + "(?![A-Za-z0-9_-])", re.IGNORECASE)
    return any(
        other.search(page.text) or _is_introduced(page, name) or _is_spelled(page.text, name, same)
        for page in skill.pages.values()
    )


def _is_introduced(page: Page, name: str) -> bool:
    """A sentence says what it is, or speaks of it by itself: `hunts/{day}/`, below `$HUNT`."""
    for found in islice(re.finditer(rf"\$\{{?{name}\b", page.text), MANY):
        before, start = page.text[max(0, found.start() - 20) : found.start()], found.end()
        in_code = page.blocks[block_at(page, found.start())].kind == "code"
        whole = page.text[start : start + 1] not in ("/", ".", "-", "_")
        if whole and (_TOLD_BEFORE.search(before) or _TOLD_AFTER.match(page.text, start)):
            return True
        alone = before.endswith("`") and page.text[start : start + 2].lstrip("}")[:1] == "`"
        if not in_code and (alone or _LABELS.match(page.text, start)):
            return True
    return False


def _is_spelled(text: str, name: str, same: re.Pattern[str]) -> bool:
    """`workDir`, `run_command` or `${dir}`: the same in the spelling of another language."""
    for found in islice(same.finditer(text), MANY):
        if found[0] != name and (_HUMP.search(found[0]) or _is_a_name(text, found)):
            return True
    return False


def _is_a_name(text: str, found: re.Match[str]) -> bool:
    """A plain word that is set off from prose: `{dir}`, `state.dir`, `dir = `, `--dir`, `<dir>`, `"dir":`."""
    before, after = text[max(0, found.start() - 6) : found.start()], text[found.end() : found.end() + 3]
    if before.endswith(("{", "--", "const ", "let ", "var ", "local ")):
        return True
    if (
        before[-1:] + after[:1] in ("<>", "[]")
        or (before.endswith("`") and after.startswith("`"))
        or (before.endswith(('"', "'")) and after[1:2] == ":")
    ):
        return True
    return (before.endswith(".") and before[-2:-1].isalnum()) or after.lstrip(" ").startswith(("=", ":="))
