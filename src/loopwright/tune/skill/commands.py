"""Agents that are started by a command line: `ccw cli -p "…"`, `codex exec "…"`, `gemini -p "…"`."""

import re
from collections.abc import Callable

from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.letters import among
from loopwright.tune.skill.model import Argument, Use
from loopwright.tune.skill.places import Places

_COMMANDS = ("ccw cli", "codex exec", "gemini", "claude", "qwen", "opencode run", "copilot", "cursor-agent")
_PROGRAMS = tuple(dict.fromkeys(re.split("[ -]", command)[0] for command in _COMMANDS))
_BARE = frozenset({"codex exec", "opencode run"})
"""Commands that take the prompt as their first plain word."""
_VALUED = frozenset([
    "m", "model", "c", "config", "C", "cd", "s", "sandbox", "profile", "o", "output-last-message", "image", "color",
    "a", "ask-for-approval", "output-schema", "add-dir",
])  # fmt: skip
"""Their options that take a value."""
_ASKS = re.compile(r"\s(?:-p|--prompt|--print|-i|exec)\b")
_HERE = re.compile(r"<<-?\s*\\?['\"]?(\w+)\\?['\"]?[^\n]*\n")
_LONGEST = 20_000


def read_commands(places: Places, uses: Callable[[int], Use | None]) -> list[Found]:
    """All such command lines of a page, each with its options as arguments and the text as `prompt`.

    `uses` says what a position is; None where nothing is read.
    """
    text = places.text
    found: list[Found] = []
    for command in _COMMANDS if among(text, _PROGRAMS) else ():
        pos = 0
        while (pos := text.find(command, pos)) >= 0:
            stop = pos + len(command)
            use = uses(pos) if _stands_alone(text, pos, stop) else None
            one = _command(places, command, pos, stop, use) if use else None
            if one is not None:
                found.append(one)
                stop = one.end
            pos = stop
    return found


def _stands_alone(text: str, pos: int, stop: int) -> bool:
    before = text[pos - 1] if pos else " "
    return before in " \t\n`\"'(;&|$" and text[stop : stop + 1] in (" ", "\t", "\\")


def _command(places: Places, command: str, pos: int, stop: int, use: Use) -> Found | None:
    text = places.text
    if (
        command not in _BARE
        and command != "ccw cli"
        and not _ASKS.search(text, stop, min(places.line_end(stop), stop + 160))
    ):
        return None
    end = min(places.block_end(pos), pos + _LONGEST)
    arguments, last = _words(places, stop, end, use, bare=command in _BARE)
    if not any(one.name == "prompt" for one in arguments):
        return None
    return Found(command, pos, last, use, tuple(arguments), Source(text, pos, last), -1)


def _words(places: Places, pos: int, end: int, use: Use, *, bare: bool) -> tuple[list[Argument], int]:
    text = places.text
    found: list[Argument] = []
    option: str | None = None
    asks = bare
    last = pos
    while pos < end:
        char = text[pos]
        if char in " \t" or (char == "\\" and text[pos + 1 : pos + 2] == "\n"):
            pos += 1 + (char == "\\")
            continue
        if char in "\n;&|`)>":
            break
        begin, stop, inner = _word(text, pos, end)
        word = text[begin:stop]
        last = pos = max(inner, pos + 1)
        if (word.startswith("-") and option is None) or word.startswith("--"):
            asks = asks or option in ("p", "print")  # a flag then; the text comes later
            option = word.lstrip("-")
            if bare and option not in _VALUED:
                option = None
            continue
        name = {"p": "prompt", "print": "prompt", "i": "prompt"}.get(option or "", option)
        if name == "prompt" and char not in "\"'\\$@<":
            break
        if name is None and asks and (bare or char in "\"'") and not any(one.name == "prompt" for one in found):
            name = "prompt"
        found.append(Argument(name, word, places.at(begin, stop, use), word))
        option = None
    return found, last


def _word(text: str, pos: int, end: int) -> tuple[int, int, int]:
    """Where a shell word's content begins and ends, and where to go on."""
    quote = text[pos]
    if quote == "\\" and text[pos + 1 : pos + 2] in ('"', "'"):
        close = text.find(text[pos : pos + 2], pos + 2, end)
        return (pos + 2, close, close + 2) if close >= 0 else (pos, end, end)
    if quote in "\"'":
        here = _HERE.search(text, pos, min(pos + 60, end)) if text.startswith('"$(cat <<', pos) else None
        if here:
            return _heredoc(text, here, end)
        close = _closing(text, pos + 1, quote, end)
        return pos + 1, close, min(close + 1, end)
    stop = pos
    while stop < end and text[stop] not in " \t\n;&|`\"')":
        stop += 1
    return pos, stop, stop


def _closing(text: str, pos: int, quote: str, end: int) -> int:
    while True:
        close = text.find(quote, pos, end)
        if close < 0:
            line = text.find("\n", pos, end)
            return end if line < 0 else line
        if text[close - 1] != "\\":
            return close
        pos = close + 1


def _heredoc(text: str, here: re.Match[str], end: int) -> tuple[int, int, int]:
    close = text.find("\n" + here[1], here.end() - 1, end)
    if close < 0:
        return here.end(), end, end
    stop = text.find('"', close, min(close + 40, end))
    return here.end(), max(close, here.end()), (stop + 1 if stop >= 0 else close + 1 + len(here[1]))
