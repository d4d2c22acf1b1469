"""Which files of a project a JavaScript or TypeScript file takes in, by what stands in its import lines."""

import re
from collections.abc import Collection, Iterator
from posixpath import normpath

from loopwright.domain.words import clipped

_IMPORTED = re.compile(r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]{1,200})["']""")
_CASE = re.compile(r"""^\s*(?:test|it)(?:\.\w+)?\s*\(\s*(["'`])(.{1,200}?)\1""", re.MULTILINE)
ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")
CASES = 200


def imports(path: str, text: str, known: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The project's files that it names, and the packages; both sorted."""
    files: set[str] = set()
    packages: set[str] = set()
    for name in _IMPORTED.findall(text):
        if name.startswith("."):
            files.update(_found(path, name, known))
        elif not name.startswith(("node:", "/")):
            parts = name.split("/")
            packages.add("/".join(parts[:2]) if name.startswith("@") else parts[0])
    return tuple(sorted(files)), tuple(sorted(packages))


def cases(text: str) -> Iterator[tuple[str, int]]:
    """Names of its tests, with their lines."""
    line, at = 1, 0
    for found in list(_CASE.finditer(text))[:CASES]:
        line += text.count("\n", at, found.start(2))
        at = found.start(2)
        yield clipped(found[2], 120), line


def _found(path: str, name: str, known: Collection[str]) -> Iterator[str]:
    place = normpath(f"{path.rpartition('/')[0]}/{name}").lstrip("/")
    bare = place.removesuffix(".js")
    tried = (f"{stem}{ending}" for ending in ENDINGS for stem in (place, bare))
    yield from [one for one in tried if one in known][:1]
