"""What the hosts of skills offer: their tools and roles, and what has another name by now."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.record import Items, first_problem
from loopwright.skills.reader.model import Host, Skill

Deed = Literal[
    "spawn", "wait", "message", "stop", "team", "ask", "read", "write", "edit", "search", "run", "fetch", "list",
    "plan", "skill", "schedule", "workspace", "settings", "other",
]  # fmt: skip
"""What a tool is for. `spawn` starts an agent, `wait` takes what one has done, `ask` waits for a person to answer."""


class CatalogueEntry(BaseModel):
    """A name, and what the tool of that name is for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    host: Host | None = None
    does: Deed = "other"


class CatalogueTool(CatalogueEntry):
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


class RetiredTool(CatalogueEntry):
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


class CatalogueFile(BaseModel):
    """One file. Without `host` it holds for all of them. `namespaces` are prefixes that names of tools may carry."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    host: Host | None = None
    namespaces: Items[str] = ()
    functions: Items[str] = ()
    tools: Mapping[str, CatalogueTool] = {}
    old: Mapping[str, RetiredTool] = {}


def read_catalogue_file(origin: str, text: str) -> CatalogueFile:
    """Invalid names the file, the key, and what would be right."""
    try:
        given: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"{origin}: is not TOML: {error}") from error
    for key in ("tools", "old"):
        tables = given.get(key)
        if isinstance(tables, dict):
            inherited = {"host": given["host"]} if "host" in given else {}
            given[key] = {
                name: {**inherited, **entry, "name": name} if isinstance(entry, dict) else entry
                for name, entry in tables.items()
            }
    if unknown := sorted(given.keys() - CatalogueFile.model_fields.keys()):
        raise Invalid(f"{origin}: unknown key {', '.join(unknown)} (known: {', '.join(CatalogueFile.model_fields)})")
    try:
        return CatalogueFile.model_validate(given)
    except ValidationError as error:
        raise Invalid(f"{origin}: {first_problem(error)}") from error


HOSTS: frozenset[Host] = frozenset(get_args(Host))
BUILT_IN = ("claude.toml", "codex.toml", "gemini.toml", "functions.toml")
ALIKE = 0.9
"""How much two names have in common where one is taken for a slip of the other."""

_WORD = re.compile(r"[A-Z]?+[a-z]++|[A-Z]++")
BEGUN = 4
"""Characters of a name that say which parameter is meant, where only one begins so."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """What is known of a name.

    `function`: a language's, or a method; `mcp`: a tool of a server that the user has connected.
    """

    name: str
    tool: CatalogueTool | None = None
    old: RetiredTool | None = None
    function: bool = False
    mcp: bool = False


@dataclass(frozen=True)
class Catalogue:
    """`tools` and `old` by name, of several hosts each; names of tools may end with `*`, for all that begin so.

    Wherever `hosts` are asked for, none means all.
    """

    tools: Mapping[str, tuple[CatalogueTool, ...]]
    old: Mapping[str, tuple[RetiredTool, ...]]
    namespaces: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    patterns: tuple[CatalogueTool, ...] = ()
    _tool: dict[tuple[str, frozenset[Host]], CatalogueTool | None] = field(
        default_factory=dict, repr=False, compare=False
    )
    _near: dict[tuple[str, frozenset[Host]], str | None] = field(default_factory=dict, repr=False, compare=False)

    def tool(self, name: str, hosts: Collection[Host] = ()) -> CatalogueTool | None:
        """The tool of that name; where several of these hosts have one, what all of them together take."""
        key = (self.plain(name), frozenset(hosts))
        if key not in self._tool:
            self._tool[key] = _merged([tool for tool in self._named(key[0]) if _of(tool, hosts)])
        return self._tool[key]

    def hosts_of(self, name: str) -> frozenset[Host]:
        """The hosts that have, or had, a tool of that name."""
        plain = self.plain(name)
        entries: tuple[CatalogueEntry, ...] = (*self._named(plain), *self.old.get(plain, ()))
        return frozenset(host for entry in entries for host in ((entry.host,) if entry.host else HOSTS))

    def deprecated(
        self, name: str, hosts: Collection[Host] = (), parameters: Collection[str] = ()
    ) -> RetiredTool | None:
        """What the tool was, if it has another name by now or is no more; `parameters` are those of the call."""
        plain = self.plain(name)
        found = (old for old in self.old.get(plain, ()) if _of(old, hosts))
        return next((old for old in found if not old.when or set(old.when) & set(parameters)), None)

    def resolve(self, name: str, hosts: Collection[Host] = (), parameters: Collection[str] = ()) -> KnownName:
        """All that is known of a name in a call with these parameters."""
        plain = self.plain(name)
        tool, old = self.tool(plain, hosts), self.deprecated(plain, hosts, parameters)
        return KnownName(
            name=plain,
            tool=tool,
            old=old,
            function="." in plain or plain in self.functions,
            mcp=plain.startswith("mcp__"),
        )

    def nearest(self, name: str, hosts: Collection[Host] = ()) -> str | None:
        """The tool that was probably meant by a name that none has: `AskUserQuestions`, `spawnAgent`.

        One word in small letters (`task`, `read`) is a function of somebody's, not a slip of `Task`.
        """
        key = (self.plain(name), frozenset(hosts))
        if key not in self._near:
            word = is_word(key[0])
            names = {
                one: normalise_name(one) for one, tools in self.tools.items() if any(_of(tool, hosts) for tool in tools)
            }
            known = {one: compared for one, compared in names.items() if not word or one.islower()}
            self._near[key] = None if key[0] in names else find_closest(key[0], known) or _turned(key[0], known)
        return self._near[key]

    def plain(self, name: str) -> str:
        """The name without the namespace that it may carry: `functions.exec_command`."""
        head, dot, rest = name.partition(".")
        return rest if dot and head in self.namespaces and rest else name

    def _named(self, plain: str) -> tuple[CatalogueTool, ...]:
        fitting = (tool for tool in self.patterns if plain.startswith(tool.name[:-1]))
        return (*self.tools.get(plain, ()), *fitting)


def find_closest(name: str, names: Mapping[str, str]) -> str | None:
    """Of `names`, with how each is compared, the one that differs by its spelling only, or by a slip."""
    plain = normalise_name(name)
    same = [one for one, compared in names.items() if compared == plain]
    if same:
        return min(same)
    near = get_close_matches(plain, names.values(), 1, ALIKE)
    return min((one for one, compared in names.items() if compared == near[0]), default=None) if near else None


def is_word(name: str) -> bool:
    """One word in small letters, as functions of anybody are called."""
    return name.isalpha() and name.islower()


def is_spelling(one: str, other: str) -> bool:
    """The two differ by case, by what stands between their words, or by a plural only."""
    return normalise_name(one).removesuffix("s") == normalise_name(other).removesuffix("s")


def _turned(name: str, names: Collection[str]) -> str | None:
    """Of several words, the one that has the same in another order, or in other number: `UpdateTask`, `ListTasks`."""
    words = _words(name)
    same = [one for one in names if len(words) > 1 and _words(one) == words]
    return same[0] if len(same) == 1 else None


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold().removesuffix("s") for word in _WORD.findall(name))


def nearest_parameter(tool: CatalogueTool, parameter: str) -> str | None:
    """The parameter of the tool that is meant: by its old name, otherwise spelled, or only its beginning."""
    names = {one: normalise_name(one) for one in tool.parameters}
    if found := tool.renamed.get(parameter) or find_closest(parameter, names):
        return found
    begun = [one for one, compared in names.items() if compared.startswith(normalise_name(parameter))]
    return begun[0] if len(begun) == 1 and len(parameter) >= BEGUN else None


def catalogue_of(skill: Skill) -> Catalogue:
    """What this product knows, and what the skill's user has added."""
    return join_catalogues(skill.catalogues)


@lru_cache(maxsize=8)
def join_catalogues(added: tuple[tuple[str, str], ...] = ()) -> Catalogue:
    """The catalogue with files of the user, as (name, text); a tool that both have is the user's.

    Invalid names the file.
    """
    volumes = [*_built_in(), *(read_catalogue_file(origin, text) for origin, text in added)]
    tools: defaultdict[str, dict[Host | None, CatalogueTool]] = defaultdict(dict)
    old: defaultdict[str, dict[Host | None, RetiredTool]] = defaultdict(dict)
    namespaces: set[str] = set()
    functions: set[str] = set()
    for volume in volumes:
        for tool in volume.tools.values():
            for name in (tool.name, *tool.also):
                tools[name][tool.host] = tool
        for gone in volume.old.values():
            old[gone.name][gone.host] = gone
        namespaces.update(volume.namespaces)
        functions.update(volume.functions)
    return Catalogue(
        tools={name: tuple(by_host.values()) for name, by_host in tools.items() if not name.endswith("*")},
        old={name: tuple(by_host.values()) for name, by_host in old.items()},
        namespaces=frozenset(namespaces),
        functions=frozenset(functions),
        patterns=tuple(tool for name, by_host in tools.items() if name.endswith("*") for tool in by_host.values()),
    )


@lru_cache(maxsize=1)
def _built_in() -> tuple[CatalogueFile, ...]:
    folder = resources.files(__package__)
    return tuple(read_catalogue_file(name, (folder / name).read_text("utf-8")) for name in BUILT_IN)


def _of(entry: CatalogueEntry, hosts: Collection[Host]) -> bool:
    return not hosts or entry.host is None or entry.host in hosts


def _merged(tools: list[CatalogueTool]) -> CatalogueTool | None:
    """One tool that takes whatever one of these does, and needs what all of them need."""
    if len(tools) < 2:
        return tools[0] if tools else None
    first = tools[0]
    named = list(dict.fromkeys(parameter for tool in tools for parameter in tool.parameters))
    required = [one for one in named if all(one in tool.required for tool in tools)]
    return first.model_copy(
        update={
            "host": None,
            "required": tuple(required),
            "optional": tuple(one for one in named if one not in required),
            "closed": all(tool.closed for tool in tools),
            "values": {},
            "renamed": {old: new for tool in tools for old, new in tool.renamed.items() if old not in named},
            "gone": {old: why for tool in tools for old, why in tool.gone.items() if old not in named},
            "ignored": {old: why for tool in tools for old, why in tool.ignored.items() if old not in named},
            "prompt": tuple(dict.fromkeys(one for tool in tools for one in tool.prompt)),
        }
    )


def normalise_name(name: str) -> str:
    """As names are compared: without case and what stands between words."""
    return name.casefold().replace("_", "").replace("-", "")
