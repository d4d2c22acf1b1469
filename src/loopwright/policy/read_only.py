"""Which shell commands only read: a narrow gate, where whatever is not understood counts as writing. Pure."""

import ast
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from loopwright.core.syntax import parse_python

LONGEST = 10_000

QUIET = re.compile(r"(?:[12]?>[ \t]?/dev/null|2>&1|1?>&2)(?=[ \t\n;|&]|$)")
"""The redirections that write nowhere."""

JOINS = re.compile(r"&&|\|\||[|;\n]")
QUOTED_DOLLAR = re.compile(r'\$(?=["\s|)/])')
BARE_DOLLAR = re.compile(r"\$(?=[ \t\n]|$)")


class UnclearCommand(Exception):
    """The line holds something whose effect cannot be told from its text."""


class ShellWord(NamedTuple):
    """`unclear`: it holds a pattern, and what that becomes may begin with a dash."""

    text: str
    unclear: bool = False


class _Piece(NamedTuple):
    """A part of a word that was read, and where reading goes on."""

    text: str
    end: int
    pattern: bool = False


def commands_in(line: str) -> tuple[tuple[ShellWord, ...], ...]:
    """The commands that a POSIX shell would run for this line, each as its words. NotPlain."""
    if len(line) > LONGEST:
        raise UnclearCommand("it is too long to check")
    if any((ord(c) < 32 and c not in "\t\n") or ord(c) == 127 for c in line):
        raise UnclearCommand("it contains control characters")
    commands: list[tuple[ShellWord, ...]] = []
    words: list[ShellWord] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
        elif quiet := QUIET.match(line, at):
            at = quiet.end()
        elif join := JOINS.match(line, at):
            commands += [tuple(words)] if words else []
            words, at = [], join.end()
        else:
            word, at = _word(line, at)
            words.append(word)
    return (*commands, *([tuple(words)] if words else []))


def _word(line: str, at: int) -> tuple[ShellWord, int]:
    if line[at] == "#":
        raise UnclearCommand("shells differ on whether # begins a comment")
    text, unclear, start = "", False, at
    while at < len(line) and line[at] not in " \t\n;|&":
        piece = _piece(line, at)
        unclear = unclear or (piece.pattern and text[:1] in ("", "-"))
        text, at = text + piece.text, piece.end
    if at == start:
        raise UnclearCommand(f"{line[at]} starts something else alongside")
    return ShellWord(text, unclear), at


def _piece(line: str, at: int) -> _Piece:
    match line[at]:
        case "'":
            return _single(line, at + 1)
        case '"':
            return _double(line, at + 1)
        case "\\":
            if at + 1 >= len(line):
                raise UnclearCommand("it ends in a backslash")
            return _Piece("" if line[at + 1] == "\n" else line[at + 1], at + 2)
        case "$":
            if BARE_DOLLAR.match(line, at):
                return _Piece("$", at + 1)
            raise UnclearCommand("the value of $ is unknown before it runs")
        case "`":
            raise UnclearCommand("a backtick runs another command")
        case ">" | "<":
            raise UnclearCommand(f"{line[at]} redirects to or from a file")
        case "(" | ")" | "{" | "}":
            raise UnclearCommand(f"{line[at]} is more than a plain command")
        case other if other.isspace():
            raise UnclearCommand("it contains unusual whitespace")
        case other:
            return _Piece(other, at + 1, pattern=other in "*?[")


def _single(line: str, at: int) -> _Piece:
    end = line.find("'", at)
    if end < 0:
        raise UnclearCommand("a quote is not closed")
    if line[end - 1] == "\\" and end > at:
        raise UnclearCommand("shells differ on a backslash before a quote")
    return _Piece(line[at:end], end + 1)


def _double(line: str, at: int) -> _Piece:
    text = ""
    while at < len(line) and line[at] != '"':
        if line[at] == "`":
            raise UnclearCommand("a backtick runs another command")
        if line[at] == "$" and not QUOTED_DOLLAR.match(line, at):
            raise UnclearCommand("the value of $ is unknown before it runs")
        if line[at] == "\\" and at + 1 < len(line):
            text += {"\n": ""}.get(line[at + 1], line[at + 1] if line[at + 1] in '$`"\\' else line[at : at + 2])
            at += 2
        else:
            text += line[at]
            at += 1
    if at >= len(line):
        raise UnclearCommand("a quote is not closed")
    return _Piece(text, at + 1)


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


class WritingOptions(NamedTuple):
    """Options that make a program write or run another: letters of short ones, and long ones."""

    letters: str = ""
    long: tuple[str, ...] = ()


CAREFUL: dict[str, WritingOptions] = {
    "rg": WritingOptions("z", ("--pre", "--hostname-bin", "--search-zip")),
    "fd": WritingOptions("xXl", ("--exec", "--exec-batch", "--list-details")),
    "sort": WritingOptions("oT", ("--output", "--compress-program", "--temporary-directory")),
    "tree": WritingOptions("oR", ("--output",)),
    "file": WritingOptions("CzZ", ("--compile", "--uncompress", "--uncompress-noreport")),
}


def find_objection(command: str, depth: int = 0) -> str | None:
    """Why this command may do more than read; None for one that only reads."""
    try:
        parts = commands_in(command)
    except UnclearCommand as problem:
        return str(problem)
    if not parts:
        return "it is empty"
    return next((words for part in parts if (words := _objection(part, depth))), None)


def _objection(part: tuple[ShellWord, ...], depth: int) -> str | None:
    name, rest = _bare(part[0].text), part[1:]
    texts = [word.text for word in rest]
    if name in PLAIN:
        return None
    if name in SHELLS and len(rest) == 2 and texts[0] in ("-c", "-lc"):
        return find_objection(texts[1], depth + 1) if depth < MOST_NESTED else "it is nested too deeply"
    if name in VERSIONED and texts == ["--version"]:
        return None
    judge = JUDGES.get(name)
    if judge is None:
        return f"{name[:MOST_NAMED] or 'an empty word'} is not known to be read-only"
    if any(word.unclear for word in rest):
        return f"a pattern may become an option of {name}"
    return judge(texts)


def _bare(name: str) -> str:
    """The program's name without the system's own folders."""
    return re.sub(r"^(?:/usr)?/bin/", "", name)


def _careful(name: str, texts: list[str]) -> str | None:
    bad = CAREFUL[name]
    return next((f"{name} {text} may do more" for text in texts if _is_bad(text, bad)), None)


def _is_bad(text: str, bad: WritingOptions) -> bool:
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
    return None if fine else "only sed scripts that print, delete, number or quit are known to be read-only"


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
        return f"git {name[:MOST_NAMED]} is not known to be read-only"
    bad = WritingOptions("O" if name == "grep" else "", GIT_BAD)
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


BUILTINS = frozenset({
    "abs", "all", "any", "bin", "bool", "callable", "chr", "dict", "dir", "divmod", "enumerate", "float", "frozenset",
    "hash", "hex", "id", "int", "isinstance", "issubclass", "len", "list", "max", "min", "oct", "ord", "range", "repr",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "vars", "zip",
})  # fmt: skip
METHODS = frozenset({
    "as_tuple", "bit_length", "count", "endswith", "index", "isalpha", "isdigit", "isoformat", "isspace", "items",
    "keys", "lower", "most_common", "split", "splitlines", "startswith", "strip", "title", "tolist", "total_seconds",
    "upper", "values",
})  # fmt: skip
"""Names that mean reading on whatever has them."""
KEYWORDS = frozenset({"default", "ndigits", "reverse", "start", "strict"})
"""Options that hold no function which would be called."""
DUNDERS = frozenset({"__class__", "__dict__", "__doc__", "__module__", "__name__", "__qualname__"})

_PLAIN = (
    ast.Expression, ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict,
    ast.Set, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Call, ast.keyword,
    ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def find_side_effect(expression: str) -> str | None:
    """What in it may do more than look; None where nothing does, also where it is no Python (whoever runs it tells)."""
    try:
        tree = parse_python(expression.strip(), "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return next((found for node in ast.walk(tree) if (found := _doing(node)) is not None), None)


def _doing(node: ast.AST) -> str | None:
    match node:
        case ast.Call():
            return _called(node)
        case ast.Attribute(attr=name) if name.startswith("__") and name not in DUNDERS:
            return f"the attribute {name}"
        case ast.Name(id=name, ctx=ast.Store()) if name in BUILTINS:
            return f"another meaning of {name}"
        case ast.keyword(arg=name) if name not in KEYWORDS:
            return f"the option {name}" if name else "**"
        case _:
            return None if isinstance(node, _PLAIN) else f"{type(node).__name__.lower()}"


def _called(call: ast.Call) -> str | None:
    match call.func:
        case ast.Name(id="type"):
            return None if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred) else "a call of type"
        case ast.Name(id=name):
            return None if name in BUILTINS else f"a call of {name}"
        case ast.Attribute(attr=name):
            return None if name in METHODS else f"a call of {name}"
        case _:
            return "a call"
