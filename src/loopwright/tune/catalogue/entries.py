"""What a file of the catalogue holds, as TOML; `docs/catalogue.md` describes it."""

import tomllib
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from loopwright.domain.errors import Invalid
from loopwright.domain.record import Items, first_problem
from loopwright.tune.skill.model import Host

Deed = Literal[
    "spawn", "wait", "message", "stop", "team", "ask", "read", "write", "edit", "search", "run", "fetch", "list",
    "plan", "skill", "schedule", "workspace", "settings", "other",
]  # fmt: skip
"""What a tool is for. `spawn` starts an agent, `wait` takes what one has done, `ask` waits for a person to answer."""


class Entry(BaseModel):
    """A name, and what the tool of that name is for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    host: Host | None = None
    does: Deed = "other"


class Tool(Entry):
    """A tool as a call of it is written.

    `required` and `optional` are its parameters, in the order in which they stand where they have no names. `closed`:
    these are all it takes. `values`: the ones that a parameter may have. `renamed`: old parameters and their names of
    today; `gone` those that are refused, `ignored` those that do nothing, each with what to know about it. `also`:
    other names that work as well. Which parameters mean what: `role` names the kind of agent, `prompt` what it is told.
    """

    required: Items[str] = ()
    optional: Items[str] = ()
    closed: bool = False
    values: Mapping[str, Items[str]] = {}
    renamed: Mapping[str, str] = {}
    gone: Mapping[str, str] = {}
    ignored: Mapping[str, str] = {}
    also: Items[str] = ()
    role: str | None = None
    prompt: Items[str] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.required, *self.optional)

    def takes(self, parameter: str) -> bool:
        """Whether a call may have it, as far as is known; what does nothing is taken."""
        return not self.closed or parameter in self.parameters or parameter in self.ignored


class Old(Entry):
    """A tool that has another name by now, or is no more. `since`: the host's version.

    `instead`: the tool that does it today; with `only_the_name` a new name is all that a call needs, but for
    parameters that were renamed, too. `when`: it is the old tool only where a call has one of these parameters.
    `working`: the host still takes it.
    """

    instead: str | None = None
    since: str | None = None
    why: str = ""
    when: Items[str] = ()
    only_the_name: bool = False
    working: bool = False


class Volume(BaseModel):
    """One file. Without `host` it holds for all of them. `namespaces` are prefixes that names of tools may carry."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    host: Host | None = None
    namespaces: Items[str] = ()
    functions: Items[str] = ()
    tools: Mapping[str, Tool] = {}
    old: Mapping[str, Old] = {}


def read_volume(origin: str, text: str) -> Volume:
    """Invalid names the file, the key, and what would be right."""
    try:
        given: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"{origin}: is no TOML: {error}") from error
    for key in ("tools", "old"):
        tables = given.get(key)
        if isinstance(tables, dict):
            inherited = {"host": given["host"]} if "host" in given else {}
            given[key] = {
                name: {**inherited, **entry, "name": name} if isinstance(entry, dict) else entry
                for name, entry in tables.items()
            }
    if unknown := sorted(given.keys() - Volume.model_fields.keys()):
        raise Invalid(f"{origin}: unknown key {', '.join(unknown)} (known: {', '.join(Volume.model_fields)})")
    try:
        return Volume.model_validate(given)
    except ValidationError as error:
        raise Invalid(f"{origin}: {first_problem(error)}") from error
