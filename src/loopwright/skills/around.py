"""What stands beside a skill: the skills and agents of its workspace, by name."""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from loopwright.domain.skill_files import Surroundings
from loopwright.skills.names import main_in

HOSTS = (".claude", ".codex", ".gemini", ".agents", ".cursor", ".opencode", ".qwen", ".github")
PLUGINS = (".claude-plugin", ".codex-plugin", ".cursor-plugin")
"""Folders that make the one they lie in a plugin, with agents, skills and commands of its own."""
LEVELS = 8
HEAD = 2_048
"""Bytes of an agent's file in which its name is looked for."""
DEEPEST = 3
"""Folders below `agents` or `commands` that are looked into."""
FOLDERS = 10_000
"""Folders that are looked into in one session; what is beyond them stays unknown."""

_NAME = re.compile(rb"^\s*name\s*[:=]\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


class Neighbours:
    """Looks at every folder once: made anew for every session, as it does not see what changes meanwhile."""

    def __init__(self, home: Path | None = None) -> None:
        self._home = os.path.realpath(home or Path.home())
        self._left = FOLDERS
        self._above = cache(self._from)
        self._in_folder = cache(self._offered)

    def around(self, real: str) -> Surroundings:
        """Goes up from the skill's folder, by its real path, to its repository, the user's home, or eight levels."""
        own = self._offered(real)
        if _is_top(real, self._home):
            return own
        parent = os.path.dirname(real)
        above = self._above(parent)
        complete = self._is_workspace(parent) and self._left > 0
        return Surroundings(above.skills.union(own.skills), above.agents.union(own.agents), complete=complete)

    def _from(self, parent: str) -> Surroundings:
        found = [self._in_folder(at) for at in _upwards(parent, self._home)]
        skills = frozenset(self._skills_in(parent)).union(*(names.skills for names in found))
        return Surroundings(skills, frozenset[str]().union(*(names.agents for names in found)))

    def _offered(self, folder: str) -> Surroundings:
        """What a folder on the way up offers: as a host's own folder, as a project, as a plugin or beside plugins."""
        skills: set[str] = set()
        agents: set[str] = set()
        for place, plugin in self._places(folder):
            commands = (self._named(os.path.join(place, kind), (".md", ".toml")) for kind in ("commands", "prompts"))
            skills |= _with_prefix(plugin, {*self._skills_in(os.path.join(place, "skills")), *chain(*commands)})
            agents |= _with_prefix(plugin, {*self._agents_in(os.path.join(place, "agents"))})
        return Surroundings(frozenset(skills), frozenset(agents))

    def _places(self, folder: str) -> Iterator[tuple[str, str]]:
        """Folders that hold `agents`, `skills` and `commands`, and for a plugin's its name."""
        if os.path.basename(folder) in HOSTS:
            yield folder, ""
        names = {*self._listed(folder)}
        for host in HOSTS:
            if host in names:
                yield os.path.join(folder, host), ""
        if not names.isdisjoint(PLUGINS):
            yield folder, _plugin_name(folder)
        if os.path.basename(folder) == "plugins":
            for name in sorted(names):
                if self._is_plugin(place := os.path.join(folder, name)):
                    yield place, _plugin_name(place)

    def _is_workspace(self, parent: str) -> bool:
        """Whether a skill in that folder lies where a host looks for skills, so that what it may name is there too."""
        if os.path.basename(parent) != "skills":
            return False
        above = os.path.dirname(parent)
        return os.path.basename(above) in HOSTS or self._is_plugin(above)

    def _is_plugin(self, folder: str) -> bool:
        return not {*self._listed(folder)}.isdisjoint(PLUGINS)

    def _skills_in(self, folder: str) -> Iterable[str]:
        """Folder names, as far as a SKILL.md lies in them."""
        return [name for name in self._listed(folder) if main_in(os.path.join(folder, name))]

    def _agents_in(self, folder: str) -> Iterator[str]:
        """By the name of the file, and by the one that is written in it."""
        for path, stem in self._files(folder, (".md", ".toml")):
            yield stem.rpartition(":")[2]
            if written := _NAME.search(_head(path, HEAD)):
                yield written.group(1).decode("utf-8", "replace")

    def _named(self, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
        """Names of commands: `workflow/plan.md` is `plan` and `workflow:plan`."""
        for _, stem in self._files(folder, endings):
            yield from {stem, stem.rpartition(":")[2]}

    def _files(
        self, folder: str, endings: tuple[str, ...], prefix: str = "", depth: int = 0
    ) -> Iterator[tuple[str, str]]:
        for name in self._listed(folder):
            path = os.path.join(folder, name)
            stem, ending = os.path.splitext(name)
            if ending in endings:
                yield path, prefix + stem
            elif depth < DEEPEST and not ending and os.path.isdir(path):
                yield from self._files(path, endings, f"{prefix}{name}:", depth + 1)

    def _listed(self, folder: str) -> list[str]:
        self._left -= 1
        if self._left < 0:
            return []
        try:
            return sorted(os.listdir(folder))
        except OSError:
            return []


def _upwards(parent: str, home: str) -> Iterator[str]:
    at = parent
    for _ in range(LEVELS):
        yield at
        if _is_top(at, home):
            return
        at = os.path.dirname(at)


def _is_top(folder: str, home: str) -> bool:
    return folder in (home, os.path.dirname(folder)) or os.path.exists(os.path.join(folder, ".git"))


def _with_prefix(plugin: str, names: set[str]) -> set[str]:
    """The names, and those that they have outside of their plugin."""
    return names | {f"{plugin}:{name}" for name in names} if plugin else names


def _plugin_name(folder: str) -> str:
    for kind in PLUGINS:
        try:
            told = json.loads(_head(os.path.join(folder, kind, "plugin.json"), 64 * HEAD))
        except ValueError:
            continue
        if isinstance(told, dict) and isinstance(name := told.get("name"), str):
            return name
    return os.path.basename(folder)


def _head(path: str, size: int) -> bytes:
    """The beginning of a file; nothing where there is none that can be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(fd, size) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)
