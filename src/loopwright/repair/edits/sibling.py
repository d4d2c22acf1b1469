"""One more like those that are there: an entry of a display, an argument by name, a part of a condition.

The new one is one of its neighbours with a name, an attribute or a literal exchanged.
"""

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from ..facts import PLAIN
from .place import Edit, Place

_NEIGHBOURS, _NAMES, _LITERALS = 3, 8, 10
_SHORT = 200


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.List(elts=elements) | ast.Set(elts=elements) | ast.Tuple(elts=elements) if place.loads(node):
                yield from _elements(place, elements)
            case ast.Dict(keys=keys, values=values):
                yield from _entries(place, keys, values)
            case ast.Call(keywords=keywords):
                yield from _named(place, node, keywords)
            case ast.BoolOp(values=values):
                yield from _parts(place, node, values)
            case ast.Compare() | ast.Call() if _is_asked(place, node):
                yield from _parts(place, node, [node])


def _elements(place: Place, elements: Sequence[ast.expr]) -> Iterator[Edit]:
    if not elements:
        return
    there = {place.text(one) for one in elements}
    end = place.source.span(elements[-1])[1]
    for n, text in enumerate(dict.fromkeys(_like(place, elements[-_NEIGHBOURS:]))):
        if text not in there:
            yield Edit(end, end, f", {text}", 2.4 + 0.03 * n, f"add the element `{text}`")
            start = place.source.span(elements[0])[0]
            yield Edit(start, start, f"{text}, ", 2.7 + 0.03 * n, f"add the element `{text}` in front")


def _entries(place: Place, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]) -> Iterator[Edit]:
    """`"name": self.name` beside `"size": self.size`; for a key that a test missed, also the values of others."""
    pairs = [(key, value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)]
    if not pairs:
        return
    there = {key.value for key, _ in pairs}
    end = place.source.span(values[-1])[1]
    texts = [place.text(value) for _, value in pairs]
    for n, key in enumerate(_new_keys(place, there)):
        names = [value for value in (*place.scope.locals, *place.scope.own_attributes) if _is_named(value, key)]
        renamed = [_with(str(key), str(k.value), text) for (k, _), text in zip(pairs, texts, strict=True)]
        for m, value in enumerate(dict.fromkeys([*names, *renamed[-_NEIGHBOURS:], *texts[-_LITERALS:], "None"])):
            text = f"{key!r}: {value}"
            yield Edit(end, end, f", {text}", 2.3 + 0.05 * n + 0.04 * m, f"add the entry `{text}`")


def _new_keys(place: Place, there: Collection[object]) -> list[object]:
    kinds = {type(one) for one in there}
    keys = [key for (text,) in place.pool.facts.complaints.keys if (key := _literal(text)) is not None]
    said = [one for one in place.pool.facts.literals if isinstance(one, PLAIN) and one is not None]
    return [one for one in dict.fromkeys([*keys, *said]) if type(one) in kinds and one not in there][:_LITERALS]


def _literal(text: str) -> object:
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, PLAIN) else None


def _named(place: Place, node: ast.Call, keywords: Sequence[ast.keyword]) -> Iterator[Edit]:
    """What calls of the same function pass elsewhere; a parameter of ours under its own name; a switch turned."""
    end = place.source.span(node)[1] - 1
    joint = ", " if node.args or keywords else ""
    there = {word.arg for word in keywords}
    function = place.text(node.func)
    name = function.rsplit(".", 1)[-1]
    for n, text in enumerate(place.scope.passed.get(name, ())):
        word = text.split("=", 1)[0]
        if word not in there:
            yield Edit(end, end, f"{joint}{text}", 1.9 + 0.05 * n, f"pass `{text}`, as other calls do")
    known = place.pool.signatures.get(name)
    for parameter, default in _switches(known):
        if parameter not in there:
            text = f"{parameter}={not default}"
            yield Edit(end, end, f"{joint}{text}", 2.3, f"pass `{text}`")
    if keywords:
        given = [word for word in keywords if word.arg]
        for old, new in ((word, other) for word in given[-2:] for other in _parameters(known) if other not in there):
            text = _with(new, str(old.arg), place.text(old))
            yield Edit(end, end, f"{joint}{text}", 2.2, f"pass `{text}`")


def _switches(function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> list[tuple[str, bool]]:
    if function is None:
        return []
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return [(one.arg, d.value) for one, d in pairs if isinstance(d, ast.Constant) and isinstance(d.value, bool)]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> list[str]:
    return [one.arg for one in [*function.args.args, *function.args.kwonlyargs]][:_NAMES] if function else []


def _parts(place: Place, node: ast.expr, values: Sequence[ast.expr]) -> Iterator[Edit]:
    """`a != "x" and a != "y"`, `isinstance(a, K) and isinstance(b, K)`."""
    joined = isinstance(node, ast.BoolOp)
    words = [" and " if isinstance(node.op, ast.And) else " or "] if isinstance(node, ast.BoolOp) else [" and ", " or "]
    end = place.source.span(values[-1])[1]
    there = {place.text(one) for one in values}
    for n, text in enumerate(dict.fromkeys(_like(place, values[-_NEIGHBOURS:]))):
        if text in there:
            continue
        for word in words:
            if joined:
                yield Edit(end, end, word + text, 2.5 + 0.03 * n, f"ask `{text}`, too")
            else:
                yield place.swap(node, f"{place.text(node)}{word}{text}", 2.9 + 0.03 * n)


def _is_asked(place: Place, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, (ast.If, ast.While, ast.Assert, ast.IfExp, ast.comprehension, ast.Return)) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    )


def _like(place: Place, neighbours: Sequence[ast.expr]) -> Iterator[str]:
    """Each neighbour with one literal, one attribute or one name exchanged."""
    for one in reversed(neighbours):
        text = place.text(one)
        if len(text) > _SHORT or "\n" in text:
            continue
        start = place.source.span(one)[0]
        for node in ast.walk(one):
            if isinstance(node, (ast.Constant, ast.Name, ast.Attribute)) and place.loads(node):
                a, b = (at - start for at in place.source.span(node))
                yield from (text[:a] + new + text[b:] for new in _instead(place, node) if new != text[a:b])


def _instead(place: Place, node: ast.Constant | ast.Name | ast.Attribute) -> list[str]:
    if isinstance(node, ast.Constant):
        known = [*place.pool.facts.literals, *place.scope.constants]
        kind = type(node.value)
        return list(dict.fromkeys(repr(one) for one in known if type(one) is kind and one != node.value))[:_LITERALS]
    if isinstance(node, ast.Attribute):
        holder = place.text(node.value)
        return [f"{holder}.{name}" for name in place.scope.attributes_of(holder) if name != node.attr][:_NAMES]
    if isinstance(place.source.parents[node], ast.Call) and place.source.parents[node].func is node:  # type: ignore[attr-defined]  # a call has one
        return []
    return [name for name in place.scope.locals if name != node.id][:_NAMES]


def _with(new: str, old: str, text: str) -> str:
    """The text with another word."""
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, text)


def _is_named(value: str, key: object) -> bool:
    return isinstance(key, str) and (value == key or value.endswith((f".{key}", f"._{key}")))
