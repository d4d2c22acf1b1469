"""Another attribute or method: a sibling by meaning, or one that the project uses."""

import ast
from collections.abc import Iterator

from ..source import FUNCTIONS
from .site import Edit, EditSite

_KIN = (
    ("append", "extend", "insert", "add"), ("lower", "upper", "casefold", "title", "capitalize", "swapcase"),
    ("strip", "lstrip", "rstrip"), ("startswith", "endswith"), ("find", "rfind", "index", "rindex"),
    ("keys", "values", "items"), ("add", "update", "discard", "remove"), ("remove", "discard", "pop"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"), ("sort", "reverse"), ("pop", "popleft", "get"),
    ("append", "appendleft"), ("floor", "ceil", "trunc"), ("union", "intersection", "difference"),
    ("issubset", "issuperset"), ("isdigit", "isalpha", "isalnum", "isnumeric", "isspace"), ("islower", "isupper"),
    ("read", "readline", "readlines"), ("match", "search", "fullmatch", "findall"), ("group", "groups"),
    ("days", "seconds", "total_seconds()"), ("year", "month", "day"), ("hour", "minute", "second"),
    ("removeprefix", "lstrip"), ("removesuffix", "rstrip"), ("update", "setdefault"), ("mean", "median"),
    ("weekday", "isoweekday"), ("ljust", "rjust", "center", "zfill"), ("get", "pop", "setdefault"),
    ("__lt__", "__le__", "__gt__", "__ge__"), ("most_common", "items"), ("utcnow", "now"), ("count", "index"),
    ("sqrt", "pow"), ("replace", "removeprefix"),
)  # fmt: skip
"""Methods that are taken for one another."""

_SEEN = 24


def attribute_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Attribute):
            yield from _renamed(place, node)


def _renamed(place: EditSite, node: ast.Attribute) -> Iterator[Edit]:
    end = place.source.span(node)[1]
    start = end - len(node.attr)
    if place.source.text[start:end] != node.attr:
        return
    kin = dict.fromkeys(name for group in _KIN if node.attr in group for name in group if name != node.attr)
    for name in kin:
        yield Edit(start, end, name, 1.4, f"`.{name}` instead of `.{node.attr}`")
    for n, (name, _) in enumerate(place.pool.attributes.most_common(_SEEN)):
        if name != node.attr and name not in kin:
            yield Edit(start, end, name, 2.6 + 0.02 * n, f"`.{name}` instead of `.{node.attr}`")


_MOST = 8


def chain_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        links = _links(place, node)
        whole = not isinstance(place.source.parents[node], ast.Attribute)
        if whole and 1 < len(links) <= _MOST:
            yield from _moved(place, links)


def _moved(place: EditSite, links: list[tuple[int, int]]) -> Iterator[Edit]:
    """The last first, the first last, and each with its neighbour."""
    text, start, end = place.source.text, links[0][0], links[-1][1]
    parts = [text[first:last] for first, last in links]
    if not all(part.lstrip().startswith(".") for part in parts):  # something stands in parentheses of its own
        return
    orders = [
        [parts[-1], *parts[:-1]],
        [*parts[1:], parts[0]],
        *([*parts[:n], parts[n + 1], parts[n], *parts[n + 2 :]] for n in range(len(parts) - 1)),
    ]
    for n, order in enumerate(orders):
        if order != parts and order not in orders[:n]:
            what = f"`{order[0]}` first" if n == 0 else f"`{order[-1]}` last"
            yield Edit(start, end, "".join(order), 2.2 + 0.03 * n, what if n < 2 else f"`{order[n - 2]}` sooner")


def _links(place: EditSite, node: ast.expr) -> list[tuple[int, int]]:
    """Where each `.name(…)` behind a value stands, in the order of the text."""
    found: list[tuple[int, int]] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found.append((place.source.span(node.func.value)[1], place.source.span(node)[1]))
        node = node.func.value
    return found[::-1]


_DEFAULTS = ("0", "[]", "None", '""', "{}", "set()", "1", "False")


def lookup_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            yield from _subscript(place, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            yield from _asked(place, node, node.func)
    if isinstance(place.stmt, ast.AugAssign) and isinstance(place.stmt.target, ast.Subscript):
        # `d[k] += v` for a key that may not be there yet
        parts = (place.stmt.target.value, place.stmt.target.slice, place.stmt.value)
        holder, key, value = map(place.text, parts)
        start, end = place.source.span(place.stmt)
        if isinstance(place.stmt.op, ast.Add):
            for empty in ("0", "[]", '""'):
                text = f"{holder}[{key}] = {holder}.get({key}, {empty}) + {value}"
                yield Edit(start, end, text, 2.0, f"start at {empty} for a new key")


def _subscript(place: EditSite, node: ast.Subscript) -> Iterator[Edit]:
    holder, key = place.text(node.value), place.text(node.slice)
    if isinstance(node.ctx, ast.Load):
        yield place.swap(node, f"{holder}.get({key})", 2.0)
        for n, default in enumerate([*_DEFAULTS, key, *place.scope.locals[:4]]):
            yield place.swap(node, f"{holder}.get({key}, {default})", 2.1 + 0.05 * n)
            if default in ("[]", "{}", "set()"):
                yield place.swap(node, f"{holder}.setdefault({key}, {default})", 2.1)


def _asked(place: EditSite, node: ast.Call, function: ast.Attribute) -> Iterator[Edit]:
    if not 1 <= len(node.args) <= 2:
        return
    holder, key = place.text(function.value), place.text(node.args[0])
    yield place.swap(node, f"{holder}[{key}]", 2.0)
    for n, default in enumerate([*_DEFAULTS, key, *place.scope.locals[:6]]):
        yield place.swap(node, f"{holder}.{function.attr}({key}, {default})", 1.8 + 0.05 * n)


def slicing_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                yield from _slice(place, node, node.slice)
            else:
                yield from _index(place, node)
        if place.loads(node) and isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.ListComp)):
            yield from _added(place, node)


def _slice(place: EditSite, node: ast.Subscript, bounds: ast.Slice) -> Iterator[Edit]:
    lower, upper, step = (place.text(part) if part else "" for part in (bounds.lower, bounds.upper, bounds.step))
    shapes = {
        f"{lower}:": 1.8,
        f":{upper}": 1.8,
        f"{upper}:{lower}": 2.0,
        f"{upper}:": 2.0,
        f":{lower}": 2.0,
        f"{lower or ''}:{upper}:-1": 2.4,
        "::-1": 2.2,
        f"1:{upper}": 1.8,
        f"{lower}:-1": 1.8,
        ":": 2.4,
        f"-{lower}:" if lower else "-1:": 1.8,
        f":-{upper}" if upper else ":-1": 1.8,
    }
    for n, name in enumerate(place.scope.locals[:6]):
        shapes[f"{lower}:{name}"] = 2.4 + 0.05 * n
        shapes[f"{name}:{upper}"] = 2.4 + 0.05 * n
        shapes[f"{lower or 0}:{lower or 0} + {name}"] = 2.6 + 0.05 * n
    old = f"{lower}:{upper}" + (f":{step}" if step else "")
    start, end = place.source.span(node.value)[1], place.source.span(node)[1]
    for shape, cost in shapes.items():
        if shape != old:
            yield Edit(start, end, f"[{shape}]", cost, f"slice `[{shape}]` instead of `[{old}]`")
    for each in () if step else ("-1", "2"):
        yield Edit(start, end, f"[{old}:{each}]", 2.4, f"slice with step {each}")
    if step:
        yield Edit(start, end, f"[{lower}:{upper}]", 2.0, "slice without step")


def _index(place: EditSite, node: ast.Subscript) -> Iterator[Edit]:
    old = place.text(node.slice)
    for new in ("0", "-1", "1", "-2", f"-{old}" if old.isdigit() else "0"):
        if new != old:
            yield place.swap(node.slice, new, 1.6)
    if isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
        yield place.exchange(node.value.slice, node.slice, 1.6)
    if place.loads(node):
        held = place.text(node.value)
        yield place.swap(node, held, 2.6)
        for n, name in enumerate(("sum", "max", "min", "len")):
            yield place.swap(node, f"{name}({held})", 2.8 + 0.05 * n)


def _added(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    parent = place.source.parents[node]
    if isinstance(parent, (ast.Attribute, ast.Subscript)) or place.is_called(node):
        return
    for shape, cost in {"[0]": 2.6, "[-1]": 2.6, "[1:]": 2.6, "[:-1]": 2.6, "[::-1]": 2.5, "[1]": 3.0}.items():
        yield place.swap(node, place.text(node) + shape, cost)
    for n, name in enumerate([name for name in place.scope.parameters if name not in ("self", place.text(node))][:4]):
        yield place.swap(node, f"{place.text(node)}[{name}:]", 2.7 + 0.05 * n)
        yield place.swap(node, f"{place.text(node)}[:{name}]", 2.8 + 0.05 * n)


_FILLS = ("add", "append", "update", "extend", "insert", "appendleft", "setdefault", "push")
_MAKES = {"set": "add", "list": "append", "deque": "append"}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def unfilled_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    fillings = [
        f"{name}.{method}({value})"
        for name, method in _empty(place)
        for value in [one for one in place.scope.locals if one != name][:_MOST]
    ]
    for n, line in enumerate(fillings):
        yield place.before([line], 2.3 + 0.06 * n)
        if not isinstance(place.stmt, _LEAVING):
            yield place.after([line], 2.3 + 0.06 * n)
    if not isinstance(place.stmt, _LEAVING) and isinstance(place.source.parents[place.stmt], _LOOPS):
        for n, line in enumerate(_handed_on(place)):
            yield place.after([line], 2.8 + 0.04 * n)


def _empty(place: EditSite) -> Iterator[tuple[str, str]]:
    """Names of containers that begin empty, in this function or one around it, and that nothing fills."""
    outer = [one for one in (place.func, *place.source.ancestors(place.stmt)) if isinstance(one, FUNCTIONS)]
    whole = outer[-1]
    for node in ast.walk(whole):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            method = _method(node.value)
            if method and not _is_filled(whole, node.targets[0].id):
                yield node.targets[0].id, method


def _method(value: ast.expr) -> str:
    match value:
        case ast.List(elts=[]):
            return "append"
        case ast.Call(func=ast.Name(id=name), args=[]):
            return _MAKES.get(name, "")
    return ""


def _is_filled(root: ast.AST, name: str) -> bool:
    for node in ast.walk(root):
        match node:
            case ast.Attribute(value=ast.Name(id=filled), attr=method) if method in _FILLS:
                pass
            case ast.AugAssign(target=ast.Name(id=filled)) | ast.Subscript(value=ast.Name(id=filled), ctx=ast.Store()):
                pass
            case _:
                continue
        if filled == name:
            return True
    return False


def _handed_on(place: EditSite) -> Iterator[str]:
    """`before = now` for names that the function gives values to."""
    names = [node for node in ast.walk(place.func or place.stmt) if isinstance(node, ast.Name)]
    for name in list(dict.fromkeys(node.id for node in names if isinstance(node.ctx, ast.Store)))[:_MOST]:
        for value in place.scope.locals[:_MOST]:
            if value != name:
                yield f"{name} = {value}"
