"""Which shell commands only read: a narrow gate, where whatever is not understood counts as writing. Pure."""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from loopwright.domain.shell_words import NotPlain, Word, commands_in

MOST_NESTED = 3
"""`bash -lc "bash -c …"`: how deep is looked."""

MOST_NAMED = 60
"""Characters of a program's name that an objection quotes."""

PLAIN = frozenset({
    "b2sum", "basename", "cat", "cd", "cksum", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo",
    "egrep", "expand", "false", "fgrep", "fold", "grep", "head", "hexdump", "id", "join", "jq", "ls", "md5sum", "nl",
    "nproc", "od", "paste", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "stat", "strings",
    "tac", "tail", "tr", "true", "uname", "wc", "which", "whoami",
})  # fmt: skip
"""Whatever options these are given, they print, and that is all."""

SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
VERSIONED = frozenset({"python", "python3", "node"})

FIND = frozenset({
    "-H", "-L", "-P", "-E", "-maxdepth", "-mindepth", "-depth", "-xdev", "-mount", "-name", "-iname", "-path",
    "-ipath", "-wholename", "-regex", "-iregex", "-regextype", "-type", "-size", "-empty", "-mtime", "-mmin", "-newer",
    "-perm", "-user", "-group", "-links", "-samefile", "-executable", "-readable", "-writable", "-prune", "-print",
    "-print0", "-printf", "-ls", "-not", "-a", "-and", "-o", "-or", "-true", "-false", "-quit",
})  # fmt: skip
TEST = frozenset({"-f", "-d", "-e", "-s", "-r", "-w", "-x", "-L", "-h", "-n", "-z", "-a", "-o"})
SED = frozenset({"-n", "-E", "-r", "-u", "-ne", "-nE", "-nr", "-En", "-e", "--quiet", "--silent", "--regexp-extended"})

SED_PLACE = r"(?:\d+|\$|/(?:[^/\\\n]|\\[^/\n])*/)"
SED_SCRIPT = re.compile(rf"\s*(?:{SED_PLACE}(?:,(?:{SED_PLACE}|\+\d+))?)?\s*[pdq=]\s*")
"""A place and one of print, delete, quit, number: `w`, `e`, `r` and `s///w` are not among them."""

GIT_FREE = frozenset({
    "blame", "cat-file", "check-ignore", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree",
    "for-each-ref", "grep", "log", "ls-files", "ls-tree", "merge-base", "name-rev", "rev-list", "rev-parse",
    "shortlog", "show", "show-ref", "status", "version",
})  # fmt: skip
GIT_LISTS: dict[str, frozenset[str]] = {
    "branch": frozenset({"-a", "-r", "-v", "-vv", "--all", "--list", "--remotes", "--show-current", "--verbose"}),
    "tag": frozenset({"-l", "--list"}),
    "remote": frozenset({"-v", "--verbose"}),
    "reflog": frozenset({"show"}),
    "stash": frozenset({"list", "show"}),
    "worktree": frozenset({"list"}),
}
"""What only lists when all its words are among these; a bare `git stash` writes, see `_git`."""

GIT_GLOBAL = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version"})
GIT_BAD = ("--output", "--ext-diff", "--open-files-in-pager", "--textconv", "--filters")


class Bad(NamedTuple):
    """Options that make a program write or run another: letters of short ones, and long ones."""

    letters: str = ""
    long: tuple[str, ...] = ()


CAREFUL: dict[str, Bad] = {
    "rg": Bad("z", ("--pre", "--hostname-bin", "--search-zip")),
    "fd": Bad("xXl", ("--exec", "--exec-batch", "--list-details")),
    "sort": Bad("oT", ("--output", "--compress-program", "--temporary-directory")),
    "tree": Bad("oR", ("--output",)),
    "file": Bad("CzZ", ("--compile", "--uncompress", "--uncompress-noreport")),
}


def objection(command: str, depth: int = 0) -> str | None:
    """Why this command may do more than read; None for one that only reads."""
    try:
        parts = commands_in(command)
    except NotPlain as problem:
        return str(problem)
    if not parts:
        return "it is empty"
    return next((words for part in parts if (words := _objection(part, depth))), None)


def _objection(part: tuple[Word, ...], depth: int) -> str | None:
    name, rest = _bare(part[0].text), part[1:]
    texts = [word.text for word in rest]
    if name in PLAIN:
        return None
    if name in SHELLS and len(rest) == 2 and texts[0] in ("-c", "-lc"):
        return objection(texts[1], depth + 1) if depth < MOST_NESTED else "it is nested too deep"
    if name in VERSIONED and texts == ["--version"]:
        return None
    judge = JUDGES.get(name)
    if judge is None:
        return f"{name[:MOST_NAMED] or 'an empty word'} is not known to only read"
    if any(word.unclear for word in rest):
        return f"a pattern may become an option of {name}"
    return judge(texts)


def _bare(name: str) -> str:
    """The program's name without the system's own folders."""
    return re.sub(r"^(?:/usr)?/bin/", "", name)


def _careful(name: str, texts: list[str]) -> str | None:
    bad = CAREFUL[name]
    return next((f"{name} {text} may do more" for text in texts if _is_bad(text, bad)), None)


def _is_bad(text: str, bad: Bad) -> bool:
    """Long options may be cut short, short ones written together; a value that looks like one counts as one."""
    if text.startswith("--"):
        option = text.split("=", 1)[0]
        return option != "--" and any(long.startswith(option) for long in bad.long)
    return text.startswith("-") and any(letter in text for letter in bad.letters)


def _among(name: str, known: frozenset[str], texts: list[str]) -> str | None:
    """Every word that begins like an option has to be a known one."""
    return next((f"{name} {text} may do more" for text in texts if text.startswith("-") and text not in known), None)


def _sed(texts: list[str]) -> str | None:
    if problem := _among("sed", SED, texts):
        return problem
    expressions = [texts[n + 1] for n, text in enumerate(texts[:-1]) if text in ("-e", "-ne")]
    words = [text for text in texts if not text.startswith("-")]
    scripts = expressions or words[:1]
    if not scripts:
        return "sed has no script"
    fine = all(SED_SCRIPT.fullmatch(one) for script in scripts for one in re.split(r"[;\n]", script))
    return None if fine else "only sed scripts that print, delete, number or quit are known to only read"


def _uniq(texts: list[str]) -> str | None:
    """A second file name would be written to."""
    return None if all(text.startswith("-") for text in texts) else "uniq may write to its second file"


def _git(texts: list[str]) -> str | None:
    while texts and (texts[0] in GIT_GLOBAL or texts[0] == "-C"):
        if texts == ["--version"]:
            return None
        texts = texts[2 if texts[0] == "-C" else 1 :]
    name, rest = (texts[0], texts[1:]) if texts else ("", [])
    if name in GIT_LISTS:
        bare_lists = name not in ("stash", "worktree")
        fine = set(rest) <= GIT_LISTS[name] and (bool(rest) or bare_lists)
        return None if fine else f"git {name} may do more than list"
    if name not in GIT_FREE:
        return f"git {name[:MOST_NAMED]} is not known to only read"
    bad = Bad("O" if name == "grep" else "", GIT_BAD)
    return next((f"git {name} {text} may do more" for text in rest if _is_bad(text, bad)), None)


JUDGES: dict[str, Callable[[list[str]], str | None]] = {
    **{name: partial(_careful, name) for name in CAREFUL},
    "find": partial(_among, "find", FIND),
    "test": partial(_among, "test", TEST),
    "[": partial(_among, "[", TEST),
    "sed": _sed,
    "uniq": _uniq,
    "git": _git,
}
