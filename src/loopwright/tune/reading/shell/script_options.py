"""The options and commands that a skill's own scripts take, and the command lines that give them others."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from loopwright.tune.reading.files.own_scripts import Run, runs
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Skill

_PYTHON = re.compile(r"\.add_argument\(\s*((?:[\"']--?[\w-]+[\"']\s*,?\s*){1,4})")
_CLICK = re.compile(r"@(?:\w+\.)?option\(\s*((?:[\"']--?[\w/-]+[\"']\s*,?\s*){1,4})")
_OPTION = re.compile(r"--[A-Za-z][\w-]*")
_TEXT = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_READS = re.compile(
    r"process\.argv|parseArgs|yargs|commander|minimist|\bargv\b|\$#|\bgetopts?\b|\bshift\b|\$\{?[1-9@*]|ARGV|sys\.argv"
)
_ANY = re.compile(
    r"parse_known_args|REMAINDER|ignore_unknown_options|allow_extra_args|\bfire\.Fire\b"
    r"|\bimport (?:fire|typer|tyro)\b|from (?:typer|tyro|fire) import|\"\$@\"|\$\*"
    r"|\.allowUnknownOption|strict: *false|exec \"\$@\""
    r"|argv\.slice\(\d\)\.(?:join|map)"
)
"""The script hands options on, or takes what it does not know."""
_PARSERS = re.compile(r"\.add_parser\(\s*[\"']([\w-]+)[\"']")
_ALIASES = re.compile(r"aliases\s{0,8}=\s{0,8}\[([^\]\n]{0,300})\]")
_POSITIONAL = re.compile(r"(?:\bparser|\bap|\bp|\bcli)\.add_argument\(\s*[\"'](?!-)")
_REST = re.compile(r"(?:[^\n`|;&<>\\]|\\\r?\n|\\|<[\w ./|-]{1,40}>|(?<=[\w\]>])\|(?=[\w<-]))*")
"""To the end of the command; a bar without blanks around it is a choice."""
_GIVEN = re.compile(r"(?<=[\s\[(])--([A-Za-z][\w-]*)(?=[\s=\]),.:]|\Z)")
_WORD = re.compile(r"[\"']?[ \t]+([a-z][a-z-]{2,})(?=[\s\"']|\Z)")
_USUAL = frozenset({"help", "version"})
LONGEST = 800
"""Characters of a command line."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What a script takes. `commands` is empty where it has none, or also takes plain words."""

    options: frozenset[str]
    commands: frozenset[str]


@dataclass(frozen=True, slots=True)
class Strange:
    """`given` in the command line of `run` is nothing that the script takes; `instead` is probably meant."""

    run: Run
    start: int
    end: int
    given: str
    instead: str | None
    known: tuple[str, ...]

    @property
    def is_option(self) -> bool:
        return self.given.startswith("--")


def strange_options(skill: Skill) -> Iterator[Strange]:
    taken: dict[str, Takes | None] = {}
    for run in runs(skill):
        if run.script not in taken:
            script = skill.pages.get(run.script)
            taken[run.script] = takes(script.text) if script else None
        known = taken[run.script]
        if known is not None:
            yield from _of_run(run, known)


def takes(text: str) -> Takes | None:
    """What the script of that text takes; None where it can not be told."""
    if _ANY.search(text):
        return None
    declared = [*_PYTHON.findall(text), *_CLICK.findall(text)]
    options = {option for words in declared for option in _OPTION.findall(words)}
    if not declared and _READS.search(text):
        options = set(_TEXT.findall(text))
    commands = set(_PARSERS.findall(text)) if not _POSITIONAL.search(text) else set()
    for names in _ALIASES.findall(text) if commands else ():
        commands.update(re.findall(r"[\w-]+", names))
    return Takes(frozenset(options), frozenset(commands)) if options or len(commands) > 1 else None


def _of_run(run: Run, known: Takes) -> Iterator[Strange]:
    text = run.page.text
    rest = _REST.match(text, run.end, run.end + LONGEST)
    stop = rest.end() if rest else run.end
    for found in _GIVEN.finditer(text, run.end, stop):
        option = f"--{found[1]}"
        if known.options and option not in known.options and found[1] not in _USUAL and not _is_no(option, known):
            near = get_close_matches(option, sorted(known.options), 1, 0.7)
            yield Strange(run, found.start(), found.end(), option, near[0] if near else None, _shown(known.options))
    word = _WORD.match(text, run.end, stop) if len(known.commands) > 1 else None
    if word is not None and word[1] not in known.commands and _in_command(text, run):
        near = get_close_matches(word[1], sorted(known.commands), 1, 0.7)
        yield Strange(run, word.start(1), word.end(1), word[1], near[0] if near else None, _shown(known.commands))


def _is_no(option: str, known: Takes) -> bool:
    """`--no-cache` of a switch `--cache`, or the beginning of one option, which argparse takes for it."""
    whole = f"--{option.removeprefix('--no-')}"
    begun = [one for one in known.options if one.startswith(option)]
    return whole in known.options or len(begun) == 1


def _in_command(text: str, run: Run) -> bool:
    """Behind the script the same command goes on: it is code, not a sentence that names the script."""
    block = block_at(run.page, run.start)
    line = text.rfind("\n", 0, run.start) + 1
    return run.page.blocks[block].kind == "code" or text[line : run.start].count("`") % 2 == 1


def _shown(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
