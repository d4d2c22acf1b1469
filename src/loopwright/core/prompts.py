"""Prompts: packaged Markdown, which a project may replace file by file; rendered strictly."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from loopwright.core.errors import Invalid

PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
LONGEST = 100_000
"""Bytes of a prompt; more is a mistake."""


class PromptError(ValueError):
    """A prompt of ours and its values do not fit: a bug."""


@dataclass(frozen=True)
class Prompt:
    """One text with places for values. `origin`: the file of a project's own; None for ours.

    `variables` are what it may use, `required` what it must.
    """

    name: str
    text: str
    variables: frozenset[str]
    required: frozenset[str]
    origin: Path | None = None

    def render(self, values: Mapping[str, str]) -> str:
        """Fills every `{{ name }}`. A prompt of a project may leave out what is not required."""
        if self.variables != values.keys():
            missing, unused = sorted(self.variables - values.keys()), sorted(values.keys() - self.variables)
            raise PromptError(f"prompt {self.name} does not fit: no value for {missing}, no placeholder for {unused}")
        return PLACE.sub(lambda match: values[match[1]], self.text)


class Prompts:
    """All prompts of a package, each once: the project's own where it has one. Read when it is made, never later."""

    def __init__(self, package: str, required: Mapping[str, frozenset[str]], override: Path | None = None) -> None:
        """`override`: a folder of files of the same names. Invalid names the file, and what would be right."""
        self._prompts = dict(_packaged(package, required))
        if override is not None:
            self._prompts |= {name: _own(self._prompts, path) for name, path in _files(override, self._prompts)}

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts.values())

    def render(self, name: str, **values: str) -> str:
        return self._prompts[name].render(values).strip()


def _packaged(package: str, required: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, Prompt]]:
    folder = resources.files(package)
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        name, _, kind = file.name.rpartition(".")
        if kind == "md":
            text = file.read_text(encoding="utf-8")
            yield name, Prompt(name, text, frozenset(PLACE.findall(text)), required.get(name, frozenset()))


def _files(folder: Path, known: Mapping[str, Prompt]) -> Iterator[tuple[str, Path]]:
    """The prompts in a project's folder; hidden files are nobody's business, folders are of other workflows."""
    if not folder.is_dir():
        raise Invalid(f"no such folder of prompts: {folder}")
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (path.is_dir() and not path.suffix):
            continue
        if path.suffix != ".md" or path.stem not in known:
            raise Invalid(f"{path}: no prompt has this name (available: {', '.join(f'{name}.md' for name in known)})")
        yield path.stem, path


def _own(known: Mapping[str, Prompt], path: Path) -> Prompt:
    ours = known[path.stem]
    text = _read(path)
    used = set(PLACE.findall(text))
    if strange := sorted(used - ours.variables):
        raise Invalid(f"{path}: unknown {_places(strange)} ({ours.name} knows {_places(sorted(ours.variables))})")
    if missing := sorted(ours.required - used):
        raise Invalid(f"{path}: {_places(missing)} is required")
    if text.count("{{") != len(PLACE.findall(text)):
        raise Invalid(f"{path}: a placeholder is written {{{{ name }}}}, with nothing else inside")
    return Prompt(ours.name, text, ours.variables, ours.required, path)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST + 1).decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"{path}: not UTF-8") from error
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}") from error
    if len(text) > LONGEST:
        raise Invalid(f"{path}: longer than {LONGEST:,} characters")
    if not text.strip():
        raise Invalid(f"{path}: empty (remove it to use ours)")
    return text


def _places(names: list[str]) -> str:
    return ", ".join(f"{{{{ {name} }}}}" for name in names) or "nothing"
