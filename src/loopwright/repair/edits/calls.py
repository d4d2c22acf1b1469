"""Arguments of a call: their order, one too many, one forgotten, a keyword."""

import ast
import builtins
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from ..facts import PLAIN
from ..source import FUNCTIONS, Function, find_init, list_defaults, list_parameters
from .site import Edit, EditSite, called_name

_KEYWORDS = {
    "sorted": "reverse=True",
    "sort": "reverse=True",
    "round": "2",
    "enumerate": "1",
    "split": "1",
    "sum": "0",
    "dumps": "sort_keys=True",
    "max": "default=0",
    "min": "default=0",
    "zip": "strict=True",
}
"""What is often forgotten at the end of a call."""


def arguments_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call):
            plain = [one for one in node.args if not isinstance(one, ast.Starred)]
            for left, right in combinations(plain[:5], 2):
                yield place.exchange(left, right, 1.6)
            for one, other in combinations([word for word in node.keywords if word.arg][:4], 2):
                yield place.exchange(one.value, other.value, 2.2)
            parts = [*node.args, *node.keywords]
            for n, part in enumerate(parts):
                yield place.left_out(parts, n, 2.6, f"leave out the argument `{place.text(part)}`")
            yield from _more(place, node)
        elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) >= 2:
            for left, right in combinations(node.elts[:4], 2):
                yield place.exchange(left, right, 2.2)
        elif isinstance(node, ast.IfExp):
            yield place.exchange(node.body, node.orelse, 1.6)


def _more(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    name = called_name(node)
    if name in _KEYWORDS and not any(word.arg and word.arg in _KEYWORDS[name] for word in node.keywords):
        yield place.append_argument(node, _KEYWORDS[name], 1.9)
    wanted = [one for one in list_parameters(place.pool.signatures.get(name)) if one not in ("self", "cls")]
    given = {word.arg for word in node.keywords}
    for parameter in [one for one in wanted[len(node.args) :] if one not in given]:
        for value in [*place.scope.locals, *place.scope.own_attributes]:
            if value == parameter or value.endswith(f".{parameter}"):
                yield place.append_argument(node, f"{parameter}={value}", 2.0)
        for value in place.scope.locals[:6]:
            yield place.append_argument(node, f"{parameter}={value}", 3.0)
    if len(node.args) < len(wanted) and not node.keywords:
        for value in place.scope.locals[:8]:
            yield place.append_argument(node, value, 2.8)


_NAME = "outcome"


def awaited_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or not isinstance(place.func, ast.AsyncFunctionDef):
        return
    match place.stmt:
        case ast.Expr(value=ast.Call() as call):
            start, end = place.source.span(place.stmt)
            joint = f"{place.source.newline}{place.indent}"
            lines = [f"{_NAME} = {place.text(call)}", _asked(place, _NAME), f"    await {_NAME}"]
            what = f"await what `{place.text(call.func)}` gives, where it can be"
            yield Edit(start, end, joint.join(lines), 2.3, what)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()):
            yield place.after([_asked(place, name), f"    {name} = await {name}"], 2.3)


def _asked(place: EditSite, name: str) -> str:
    known = "inspect" in place.scope.all_globals
    return f"if inspect.isawaitable({name}):" if known else f'if hasattr({name}, "__await__"):'


_CALL_MISSING_MOST = 10
_NEAR = 4
"""Names that are tried as an argument."""


def call_missing_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    first, leaves = place.stmt is place.func.body[0], isinstance(place.stmt, (ast.Return, ast.Raise))
    for cost, line in _calls(place):
        if first or leaves or isinstance(place.stmt, (ast.For, ast.While, ast.If, ast.With)):
            yield place.before([line], cost)
        if not leaves and not isinstance(place.stmt, (ast.Break, ast.Continue)):
            yield place.after([line], cost)


def _calls(place: EditSite) -> Iterator[tuple[float, str]]:
    # `super().method(…)` in a method that replaces one of the project
    function, owner = place.func, place.owner
    if function is not None and owner is not None and owner.bases and "super()" not in place.text(function):
        names = [one.arg for one in [*function.args.posonlyargs, *function.args.args][1:]]
        given = [*names, *(f"{one.arg}={one.arg}" for one in function.args.kwonlyargs)]
        yield 2.2, f"super().{function.name}({', '.join(given)})"
        if names:
            yield 2.6, f"super().{function.name}()"
    for n, method in enumerate(_methods(place)[:_CALL_MISSING_MOST]):
        yield from _with_arguments(place, f"self.{method.name}", method, 2.7 + 0.05 * n, skip=1)
    helpers = [name for name in place.scope.globals if name in place.pool.signatures and name in place.scope.called]
    for n, name in enumerate(helpers[:_CALL_MISSING_MOST]):
        yield from _with_arguments(place, name, place.pool.signatures[name], 3.1 + 0.05 * n, skip=0)


def _methods(place: EditSite) -> list[Function]:
    """Of the same object, those that are called for what they do first."""
    if place.owner is None or "self" not in place.scope.parameters:
        return []
    found = [one for one in place.owner.body if isinstance(one, FUNCTIONS) and one is not place.func]
    found = [one for one in found if not one.name.startswith("__") and not one.decorator_list]

    def gives_back(function: Function) -> bool:
        return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))

    return sorted(found, key=lambda one: (gives_back(one), one.lineno))


def _with_arguments(
    place: EditSite, name: str, function: Function, cost: float, skip: int
) -> Iterator[tuple[float, str]]:
    arguments = [one.arg for one in [*function.args.posonlyargs, *function.args.args][skip:]]
    needed = arguments[: len(arguments) - len(function.args.defaults)]
    wait = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
    near = place.scope.locals
    if all(one in near for one in needed):
        yield cost - 0.2 * bool(needed), f"{wait}{name}({', '.join(needed)})"
    elif len(needed) == 1:
        for n, value in enumerate([*near[:_NEAR], *place.scope.own_attributes[:_NEAR]]):
            yield cost + 0.5 + 0.05 * n, f"{wait}{name}({value})"


_MUTABLE = (ast.List, ast.Dict, ast.Set)


def defaults_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS):
        for parameter, default in list_defaults(place.stmt):
            if isinstance(default, (*_MUTABLE, ast.Call)):
                yield _made_inside(place, place.stmt.body, parameter.arg, default)
    elif isinstance(place.stmt, (ast.Assign, ast.AnnAssign)) and place.stmt.value is not None:
        yield from _class_level(place, place.stmt, place.stmt.value)


def _made_inside(place: EditSite, body: list[ast.stmt], name: str, default: ast.expr) -> Edit:
    """`None` in the header, and the value made where the body begins (behind a docstring)."""
    start, after = place.source.span(default)
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
    begin = body[1] if docstring else body[0]
    at = place.source.lines_of(begin)[0]
    indent, newline = place.source.indent(begin.lineno), place.source.newline
    made = f"{indent}if {name} is None:{newline}{indent}    {name} = {place.text(default)}{newline}"
    text = "None" + place.source.text[after:at] + made
    return Edit(start, at, text, 1.6, f"make a new `{place.text(default)}` for `{name}` in each call")


def _class_level(place: EditSite, node: ast.Assign | ast.AnnAssign, value: ast.expr) -> Iterator[Edit]:
    """`items = []` in a class body becomes `self.items = []` in its `__init__`."""
    owner = place.source.parents[node]
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    fresh = isinstance(value, (*_MUTABLE, ast.Call))
    if not isinstance(owner, ast.ClassDef) or not isinstance(target, ast.Name) or not fresh:
        return
    made = f"self.{target.id} = {place.text(value)}"
    start, end = place.source.lines_of(node)
    init = find_init(owner)
    newline, indent = place.source.newline, place.indent
    if init is None:
        gap = "" if node.lineno > 1 and not place.source.lines[node.lineno - 2].strip() else newline
        text = f"{gap}{indent}def __init__(self):{newline}{indent}    {made}{newline}"
        yield Edit(start, end, text, 2.0, f"give each instance its own `{target.id}`")
    elif init.lineno > node.lineno:
        body = init.body[0]
        at = place.source.lines_of(body)[0]
        text = place.source.text[end:at] + place.source.indent(body.lineno) + made + newline
        yield Edit(start, at, text, 2.0, f"give each instance its own `{target.id}`")


_ELSEWHERE_MOST, _ELSEWHERE_LONGEST = 16, 40
_READ = (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.Constant)
_HELD = (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp)


def expression_edits(place: EditSite) -> Iterator[Edit]:
    if place.func is None:
        return
    # the nearest lines' first, each once
    here = place.stmt.lineno
    nodes = [node for node in ast.walk(place.func) if isinstance(node, _HELD) and place.loads(node)]
    nodes = [node for node in nodes if not _is_part(place, node)]
    texts = [place.text(node) for node in sorted(nodes, key=lambda node: abs(node.lineno - here))]
    short = [text for text in dict.fromkeys(texts) if len(text) <= _ELSEWHERE_LONGEST and "\n" not in text]
    for node in place.nodes:
        if not isinstance(node, _READ) or not place.loads(node) or _is_part(place, node):
            continue
        text = place.text(node)
        around = f"({text})" if text.isidentifier() else "\n"  # itself within itself is what other families try
        others = [one for one in short[:_ELSEWHERE_MOST] if one != text and not one.endswith(around)]
        yield from place.swaps(node, others, 2.9, 0.04)


def _is_part(place: EditSite, node: ast.expr) -> bool:
    """What is called or belongs to a longer name or a text is not replaced by itself."""
    above = place.source.parents[node]
    return isinstance(above, (ast.Attribute, ast.JoinedStr, ast.FormattedValue)) or place.is_called(node)


_MODULES = {
    "copy": ("copy", "deepcopy"),
    "re": ("escape",),
    "math": ("floor", "ceil", "trunc", "fabs", "sqrt"),
    "html": ("escape", "unescape"),
    "json": ("dumps", "loads"),
    "textwrap": ("dedent",),
    "inspect": ("cleandoc",),
}
"""Functions of one argument that are easily forgotten."""
_COPIES = ("dict", "list", "set", "copy", "copy.copy")


def library_edits(place: EditSite) -> Iterator[Edit]:
    # what can be called here with one argument
    here = place.scope.globals
    modules = [f"{name}.{function}" for name in here for function in _MODULES.get(name, ())]
    plain = [name for functions in _MODULES.values() for name in functions if name in here]
    known = [*modules, *plain]
    for node in place.nodes:
        if not place.loads(node) or isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.JoinedStr)):
            continue
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            old, argument = place.text(node.func), place.text(node.args[0])
            for n, name in enumerate(known):
                if name != old:
                    copies = old in _COPIES and name.endswith("deepcopy")
                    yield place.swap(node, f"{name}({argument})", 1.5 if copies else 2.3 + 0.04 * n)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
                yield from (place.swap(node, f"{name}({argument})", 1.5) for name in known if name.endswith("deepcopy"))
        if not isinstance(place.source.parents[node], (ast.Attribute, ast.FormattedValue)) and not place.is_called(
            node
        ):
            yield from place.swaps(node, [f"{name}({place.text(node)})" for name in known], 2.5, 0.04)


_FUNCTIONS = ("compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split")
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+?]\??|\{\d*,?\d*\}\??|\(\?[:=!]|\(\?<[=!]|\(\?P<\w+>|.", re.DOTALL
)
_QUANTIFIERS = ("*", "+", "?", "*?", "+?")
_WIDER = {
    r"\d": (r"\w", r"[\d.]", r"[\d,]"),
    r"\w": (r"[\w-]", r"[\w.]", r"\S", "."),
    r"\s": (" ",),
    " ": (r"\s",),
    ".": (r"\.", r"[^\n]"),
    r"\.": (".",),
    r"\b": ("",),
}
_FLAGS = ("re.IGNORECASE", "re.DOTALL", "re.MULTILINE")
_CHARACTERS, _PATTERN_LONGEST = 8, 120


def pattern_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call) and node.args and _is_of_re(place, node):
            # `match` begins at the start of the text, and only `fullmatch` goes on to the end
            most = {"sub": 4, "subn": 4, "split": 3}.get(called_name(node), 2)
            if len(node.args) <= most and not any(word.arg == "flags" for word in node.keywords):
                for n, flag in enumerate(_FLAGS):
                    yield place.append_argument(node, f"flags={flag}", 2.2 + 0.1 * n)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            parent = place.source.parents[node]
            if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
                is_pattern = _is_of_re(place, parent)
            else:
                is_pattern = place.text(node)[:1] in "rR" and not isinstance(parent, ast.JoinedStr)
            yield from _other_patterns(place, node) if is_pattern else ()


def _is_of_re(place: EditSite, node: ast.Call) -> bool:
    return place.text(node.func) in [f"re.{name}" for name in _FUNCTIONS]


def _other_patterns(place: EditSite, node: ast.Constant) -> Iterator[Edit]:
    shown = place.text(node)
    mark = shown[-3:] if shown.endswith(('"""', "'''")) and len(shown) > 6 else shown[-1]
    head = shown[: shown.index(mark) + len(mark)]
    inner = shown[len(head) : -len(mark)]
    if "\n" in inner or len(inner) > _PATTERN_LONGEST or ("\\" in inner and head[:1] not in "rR"):
        return
    # marks in the tests' texts that the pattern does not name
    texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
    named = re.sub(r"(\w)-(\w)", r"\1\2", inner)
    marks = [one for one in dict.fromkeys(texts) if not one.isalnum() and one not in named and one not in "\"'\\\n^]["]
    for cost, text in _variants(inner, marks[:_CHARACTERS]):
        if text != inner and _compiles(text):
            yield place.swap(node, head + text + mark, cost)


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(text)
    except (re.error, Warning, OverflowError, RecursionError):
        return False
    return True


def _variants(inner: str, characters: list[str]) -> Iterator[tuple[float, str]]:
    tokens = _TOKEN.findall(inner)
    for n, token in enumerate(tokens):
        before, after = "".join(tokens[:n]), "".join(tokens[n + 1 :])
        follower = tokens[n + 1] if n + 1 < len(tokens) else ""
        if token in _QUANTIFIERS or token.startswith("{"):
            yield 2.0, before + after
            yield from ((1.9, before + other + after) for other in _QUANTIFIERS if other != token)
            continue
        if token.startswith("(?") or token in "(|^$":
            continue
        if follower not in _QUANTIFIERS and not follower.startswith("{"):
            yield from ((2.2 + 0.1 * m, before + token + other + after) for m, other in enumerate(("?", "*", "+")))
        yield from ((2.0, before + other + after) for other in _WIDER.get(token, ()))
        if token.startswith("[") and len(token) > 2:
            for character in characters:
                mark = f"\\{character}" if character in "-^]\\" else character
                yield 1.9, before + token[:-1] + mark + "]" + after
        if token != ")":
            yield 2.6, before + after
    yield 2.0, inner.removesuffix("$") if inner.endswith("$") else inner + "$"
    yield 2.0, inner.removeprefix("^") if inner.startswith("^") else "^" + inner
    yield 2.2, rf"\b{inner}\b"


_NEIGHBOURS, _NAMES, _LITERALS = 3, 8, 10
_SHORT = 200


def extra_argument_edits(place: EditSite) -> Iterator[Edit]:
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
            case ast.Compare() if _is_asked(place.source.parents[node]):
                yield from _parts(place, node, [node])


def _is_asked(parent: ast.AST) -> bool:
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    return isinstance(parent, (ast.If, ast.While, ast.Assert, ast.IfExp, ast.comprehension, ast.Return))


def _elements(place: EditSite, elements: Sequence[ast.expr]) -> Iterator[Edit]:
    if not elements:
        return
    there = {place.text(one) for one in elements}
    end = place.source.span(elements[-1])[1]
    for n, text in enumerate(dict.fromkeys(_like(place, elements[-_NEIGHBOURS:]))):
        if text not in there:
            yield Edit(end, end, f", {text}", 2.4 + 0.03 * n, f"add the element `{text}`")
            start = place.source.span(elements[0])[0]
            yield Edit(start, start, f"{text}, ", 2.7 + 0.03 * n, f"add the element `{text}` in front")


def _entries(place: EditSite, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]) -> Iterator[Edit]:
    """`"name": self.name` beside `"size": self.size`; for a key that a test missed, also the values of others."""
    pairs = [(key, value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)]
    if not pairs:
        return
    there = {key.value for key, _ in pairs}
    end = place.source.span(values[-1])[1]
    texts = [place.text(value) for _, value in pairs]
    for n, key in enumerate(_new_keys(place, there)):
        values_at_hand = (*place.scope.locals, *place.scope.own_attributes) if isinstance(key, str) else ()
        names = [value for value in values_at_hand if value == key or value.endswith((f".{key}", f"._{key}"))]
        renamed = [_with(str(key), str(k.value), text) for (k, _), text in zip(pairs, texts, strict=True)]
        for m, value in enumerate(dict.fromkeys([*names, *renamed[-_NEIGHBOURS:], *texts[-_LITERALS:], "None"])):
            text = f"{key!r}: {value}"
            yield Edit(end, end, f", {text}", 2.3 + 0.05 * n + 0.04 * m, f"add the entry `{text}`")


def _new_keys(place: EditSite, there: Collection[object]) -> list[object]:
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


def _named(place: EditSite, node: ast.Call, keywords: Sequence[ast.keyword]) -> Iterator[Edit]:
    """What calls of the same function pass elsewhere; a parameter of ours under its own name; a switch turned."""
    there = {word.arg for word in keywords}
    name = place.text(node.func).rsplit(".", 1)[-1]
    for n, text in enumerate(place.scope.passed.get(name, ())):
        if text.split("=", 1)[0] not in there:
            yield place.append_argument(node, text, 1.9 + 0.05 * n, f"pass `{text}`, as other calls do")
    known = place.pool.signatures.get(name)
    for parameter, default in list_defaults(known) if known else ():
        if parameter.arg not in there and isinstance(default, ast.Constant) and isinstance(default.value, bool):
            yield place.append_argument(node, f"{parameter.arg}={not default.value}", 2.3)
    for word in [word for word in keywords if word.arg][-2:]:
        for other in list_parameters(known)[:_NAMES]:
            if other not in there:
                yield place.append_argument(node, _with(other, str(word.arg), place.text(word)), 2.2)


def _parts(place: EditSite, node: ast.expr, values: Sequence[ast.expr]) -> Iterator[Edit]:
    """`a != "x" and a != "y"`, `isinstance(a, K) and isinstance(b, K)`."""
    end = place.source.span(values[-1])[1]
    there = {place.text(one) for one in values}
    for n, text in enumerate(dict.fromkeys(_like(place, values[-_NEIGHBOURS:]))):
        if text in there:
            continue
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            yield Edit(end, end, f" {word} {text}", 2.5 + 0.03 * n, f"ask `{text}`, too")
        else:
            for word in ("and", "or"):
                yield place.swap(node, f"{place.text(node)} {word} {text}", 2.9 + 0.03 * n)


def _like(place: EditSite, neighbours: Sequence[ast.expr]) -> Iterator[str]:
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


def _instead(place: EditSite, node: ast.Constant | ast.Name | ast.Attribute) -> list[str]:
    if isinstance(node, ast.Constant):
        known = [*place.pool.facts.literals, *place.scope.constants]
        kind = type(node.value)
        return list(dict.fromkeys(repr(one) for one in known if type(one) is kind and one != node.value))[:_LITERALS]
    if isinstance(node, ast.Attribute):
        holder = place.text(node.value)
        return [f"{holder}.{name}" for name in place.scope.attributes_of(holder) if name != node.attr][:_NAMES]
    return [] if place.is_called(node) else [name for name in place.scope.locals if name != node.id][:_NAMES]


def _with(new: str, old: str, text: str) -> str:
    """The text with another word."""
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, text)


_KIN = (
    ("list", "tuple"),
    ("list", "tuple", "set", "frozenset"),
    ("str", "bytes"),
    ("bytes", "bytearray", "memoryview"),
    ("int", "float"),
    ("int", "float", "complex"),
    ("dict", "list"),
    ("dict", "Mapping"),
    ("list", "Sequence"),
    ("list", "Iterable"),
    ("bool", "int"),
    ("date", "datetime"),
)
_CLASSES = 16


def type_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[asked, kinds]):
                # another class, one more, or one less; a bool is an int, too
                inside = [place.text(one) for one in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
                kin = [name for group in _KIN if set(group) & set(inside) for name in group]
                kin = [name for name in kin if hasattr(builtins, name) or name in place.scope.globals]
                # then the classes that this file asks for, defines or imports
                used = [text for text in place.scope.kinds if text.replace(".", "").isidentifier()]
                used += [name for name in place.scope.globals if name[:1].isupper() and not name.isupper()]
                others = [name for name in dict.fromkeys([*kin, *used[:_CLASSES]]) if name not in inside]
                for n, name in enumerate(others):
                    cost = 1.7 if name in kin else 2.1
                    yield place.swap(kinds, f"({', '.join([*inside, name])})", cost + 0.03 * n, f"take {name}, too")
                    if len(inside) == 1:
                        yield place.swap(kinds, name, cost + 0.2 + 0.03 * n)
                for name in inside if len(inside) > 1 else ():
                    rest = [one for one in inside if one != name]
                    yield place.swap(kinds, rest[0] if len(rest) == 1 else f"({', '.join(rest)})", 2.2)
                whole = place.source.parents[kinds]
                if "int" in inside and isinstance(whole, ast.expr):
                    yield place.swap(whole, f"{place.text(whole)} and not isinstance({place.text(asked)}, bool)", 1.9)
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[asked]), ops=[operator], comparators=[kind]):
                denied = "not " if isinstance(operator, (ast.NotEq, ast.IsNot)) else ""
                yield place.swap(node, f"{denied}isinstance({place.text(asked)}, {place.text(kind)})", 1.6)
