"""Command lines of loopwright's in documents and examples: found, and read by the real command line."""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import typer.main

from loopwright.core.config import PREFIX, TABLES, Settings
from loopwright.surfaces.cli.main import app

CALL = re.compile(r"(?:^|[\s/`])loopwright ((?:[^\n#`|]|\\\n)+)", re.MULTILINE)
CODE = re.compile(r"^```\w*\n(.*?)^```|^    (.*)$|`(loopwright [^`]*)`", re.MULTILINE | re.DOTALL)
VARIABLE = re.compile(rf"\b{PREFIX}[A-Z_]+\b")


def calls_of(text: str) -> Iterator[list[str]]:
    """The words after `loopwright`, of each call in a script; what begins with none of its commands is prose."""
    names = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # the root is a group
    for found in CALL.finditer(text):
        if re.match(r"[a-z]+", found[1]) and re.split(r"[^a-z]", found[1])[0] in names:
            yield shlex.split(re.split(r" > | && |; |\)\"", found[1].replace("\\\n", " "))[0])


def calls_of_page(text: str) -> Iterator[list[str]]:
    """The same of the code in a page of Markdown."""
    for block, line, inline in CODE.findall(text):
        yield from calls_of(block or line or inline)


def parse_call(words: Sequence[str]) -> None:
    """Raises what people would be told who typed that."""
    command: Any = typer.main.get_command(app)  # Any: typer has a copy of click, which is private
    name, rest = "loopwright", list(words)
    while hasattr(command, "resolve_command"):
        context = command.make_context(name, rest)
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
    command.make_context(name, rest)


def strange_variables(text: str) -> set[str]:
    """Variables that no setting reads."""
    tables = {f"{PREFIX}{name.upper()}_{key.upper()}" for name, model in TABLES.items() for key in model.model_fields}
    return set(VARIABLE.findall(text)) - tables - {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
