"""Which files of a project a Python file imports, also through a package that only passes names on."""

from collections.abc import Iterator, Mapping

from loopwright.survey.python import Import, is_standard

SOURCES = ("src", "lib", "python")
"""Folders that are commonly put on the import path."""
DEEPEST = 5
"""Packages that pass a name on to each other."""


class Imports:
    """Knows the imports of all Python files, by path."""

    def __init__(self, imported: Mapping[str, tuple[Import, ...]]) -> None:
        self._imported = imported
        self._paths: dict[str, str] = {}
        packages = frozenset(path.rpartition("/")[0] for path in imported if path.endswith("__init__.py"))
        for path in sorted(imported):
            for name in _names(path, packages):
                self._paths.setdefault(name, path)
        self._own = {path: _own_name(path, packages) for path in imported}

    def of(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The project's files that it imports, and the packages from outside; both sorted, without Python's own."""
        files: set[str] = set()
        packages: set[str] = set()
        for one in self._imported.get(path, ()):
            found = set(self._targets(path, one))
            files |= found
            if not found and not one.module.startswith("."):
                packages.add(one.module.partition(".")[0])
        return tuple(sorted(files - {path})), tuple(sorted(name for name in packages if not is_standard(name)))

    def _targets(self, path: str, one: Import) -> Iterator[str]:
        module = self._absolute(path, one.module)
        if not one.names:
            if target := self._nearest(path, module):
                yield target
            return
        for _, name in one.names:
            if target := self._named(path, module, name, DEEPEST):
                yield target

    def _named(self, path: str, module: str, name: str, deep: int) -> str | None:
        """The file in which the name is at home: a module of that name, or the one that a package takes it from."""
        if below := self._nearest(path, f"{module}.{name}" if module else name, whole=True):
            return below
        home = self._nearest(path, module, whole=True)
        if home is None or not home.endswith("__init__.py") or not deep:
            return home
        for one in self._imported[home]:
            for known, original in one.names:
                if known == name:
                    return self._named(home, self._absolute(home, one.module), original, deep - 1) or home
        return home

    def _nearest(self, path: str, module: str, *, whole: bool = False) -> str | None:
        """The file of a module, one beside the importing file first; else that of a package which it lies in."""
        folder = path.rpartition("/")[0]
        while module:
            tail = module.replace(".", "/")
            for place in (f"{folder}/{tail}.py", f"{folder}/{tail}/__init__.py"):
                if place.lstrip("/") in self._imported:
                    return place.lstrip("/")
            if module in self._paths:
                return self._paths[module]
            if whole:
                return None
            module = module.rpartition(".")[0]
        return None

    def _absolute(self, path: str, module: str) -> str:
        dots = len(module) - len(module.lstrip("."))
        if not dots:
            return module
        parts = self._own[path].split(".")
        if not path.endswith("__init__.py"):
            parts = parts[:-1]
        base = parts[: len(parts) - dots + 1]
        return ".".join([*base, module[dots:]] if module[dots:] else base)


def _bare(path: str) -> str:
    return path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _own_name(path: str, packages: frozenset[str]) -> str:
    """Its dotted name from the topmost folder that is a package."""
    folder, _, _ = path.rpartition("/")
    while folder and folder in packages:
        folder = folder.rpartition("/")[0]
    return _bare(path[len(folder) + 1 :] if folder else path)


def _names(path: str, packages: frozenset[str]) -> Iterator[str]:
    """Every dotted name under which it may be imported."""
    yield _own_name(path, packages)
    yield _bare(path)
    for source in SOURCES:
        if path.startswith(f"{source}/"):
            yield _bare(path.removeprefix(f"{source}/"))
