"""A guard that other functions have and this one forgot: copied, and put in this one's words."""

import ast
import builtins
import re
import textwrap
from collections.abc import Collection, Iterator
from itertools import takewhile

from ..source import FUNCTIONS, Function, block_of
from .site import Edit, EditSite

_COPIED_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SHORTEST, _LONGEST, _COPIED_MOST, _COPIED_NAMES = 2, 6, 16, 5


def copied_guard_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    here = place.scope.remembered(("guards", place.source.tree), lambda: _guards(place))
    inside = _looped(place, place.stmt)
    for n, guard in enumerate(here[:_COPIED_MOST]):
        if inside or not re.search(r"\b(continue|break)$", guard):
            for m, text in enumerate(_in_our_words(place, guard)):
                yield place.before(text.split("\n"), 2.6 + 0.06 * n + 0.1 * m)


def _guards(place: EditSite) -> list[str]:
    """`if …:` with one or two lines that leave, as text without indentation; those found often first."""
    found: dict[str, int] = {}
    for node in ast.walk(place.source.tree):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _COPIED_LEAVING):
            lines = place.text(node).split("\n")
            indent = place.source.indent(node.lineno)
            plain = all(line.startswith(indent) for line in lines[1:])
            if plain and _SHORTEST <= len(lines) <= _LONGEST:
                text = "\n".join([lines[0], *(line[len(indent) :] for line in lines[1:])])
                text = text.removeprefix("el")
                found[text] = found.get(text, 0) + 1
    return sorted(found, key=lambda text: -found[text])


def _looped(place: EditSite, node: ast.AST) -> bool:
    for above in place.source.ancestors(node):
        if isinstance(above, FUNCTIONS):
            return False
        if isinstance(above, (ast.For, ast.While, ast.AsyncFor)):
            return True
    return False


def _in_our_words(place: EditSite, guard: str) -> list[str]:
    """As it is where it uses only what is known here, else with the one name that is not known exchanged for ours."""
    names = dict.fromkeys(node.id for node in ast.walk(ast.parse(guard)) if isinstance(node, ast.Name))
    known = {*place.scope.locals, *place.scope.parameters, *place.scope.all_globals, *dir(builtins)}
    strange = [name for name in names if name not in known]
    if not strange:
        return [guard]
    if len(strange) > 1:
        return []
    return [re.sub(rf"(?<!\.)\b{strange[0]}\b", new, guard) for new in place.scope.locals[:_COPIED_NAMES]]


_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_COPYLINE_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\()")
_COPYLINE_MOST = 12


def copyline_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS) or not place.alone or place.func is None:
        return
    if isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        for cost, line in _copyline_lines(place):
            yield place.before([line], cost)
        return
    for cost, line in _copyline_lines(place):
        yield place.after([line], cost)
    if isinstance(place.stmt, ast.For) and isinstance(place.stmt.target, ast.Name):
        yield from _last_round(place, place.stmt.target.id, place.stmt)


def _last_round(place: EditSite, name: str, loop: ast.For) -> Iterator[Edit]:
    """What the loop does for each, done behind it for the last one."""
    over = loop.iter.value if isinstance(loop.iter, ast.Subscript) else loop.iter
    for n, node in enumerate([one for one in loop.body if isinstance(one, _SIMPLE)][:_COPYLINE_MOST]):
        line = re.sub(rf"\b{name}\b", lambda _: f"{place.text(over)}[-1]", place.text(node))
        if "\n" not in line:
            yield place.after([line], 2.8 + 0.05 * n)


def _copyline_lines(place: EditSite) -> Iterator[tuple[float, str]]:
    """The function's simple statements as they are, then with one name exchanged, then those of the class."""
    near = [line for line in _simple(place, place.func) if line != place.text(place.stmt)]
    for n, line in enumerate(near[:_COPYLINE_MOST]):
        yield 3.0 + 0.05 * n, line
    for n, line in enumerate([line for line in _opposites(place) if line not in near][:_COPYLINE_MOST]):
        yield 2.6 + 0.05 * n, line
    for n, line in enumerate([place.text(place.stmt), *near][:_COPYLINE_MOST]):
        if "\n" not in line:
            for other in _adapted(place, line):
                yield 3.1 + 0.05 * n, other
    owner = place.source.owner(place.stmt)
    for n, line in enumerate([line for line in _simple(place, owner) if line not in near][: 2 * _COPYLINE_MOST]):
        yield 3.3 + 0.04 * n, line
    if place.func is not None and place.func.name == "__init__":
        for name in place.scope.locals:
            yield 2.2, f"self.{name} = {name}"


def _simple(place: EditSite, root: ast.AST | None) -> list[str]:
    if root is None:
        return []
    return place.scope.remembered(("simple", root), lambda: _found(place, root))


def _found(place: EditSite, root: ast.AST) -> list[str]:
    found = [place.text(node) for node in ast.walk(root) if isinstance(node, _SIMPLE) and not _docstring(node)]
    return [line for line in dict.fromkeys(found) if "\n" not in line]


def _opposites(place: EditSite) -> Iterator[str]:
    """What the function or class adds somewhere, taken away here; and the other way round."""
    for line in [*_simple(place, place.func), *_simple(place, place.source.owner(place.stmt))]:
        if " += " in line:
            yield line.replace(" += ", " -= ")
        elif " -= " in line:
            yield line.replace(" -= ", " += ")


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _adapted(place: EditSite, line: str) -> Iterator[str]:
    used = dict.fromkeys(_COPYLINE_NAME.findall(line))
    for old in used:
        if old in place.scope.locals:
            for new in place.scope.locals[:8]:
                if new != old:
                    yield re.sub(rf"(?<![\w.]){old}\b", new, line)
                    yield re.sub(rf"\b{old}\b", new, line)


_PUTS = ("heappush", "heappushpop", "put", "put_nowait")
_COUNTER_NAME = "self._came"


def arrival_order_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None:
        return
    for node in place.nodes:
        if isinstance(node, ast.Call) and place.text(node.func).split(".")[-1] in _PUTS:
            for entry in [one for one in node.args if isinstance(one, ast.Tuple) and len(one.elts) > 1]:
                yield from _counted(place, entry)


def _counted(place: EditSite, entry: ast.Tuple) -> Iterator[Edit]:
    """In place of a part, or in front of the last one, whatever that is compared by."""
    counters = _counters(place)
    for counter in counters:
        for part in entry.elts[1:-1]:
            yield place.swap(part, f"next({counter})", 2.2)
        yield place.swap(entry.elts[-1], f"next({counter}), {place.text(entry.elts[-1])}", 2.2)
    begins = _beginning(place)
    if begins and not counters and _COUNTER_NAME not in place.scope.own_attributes:
        first = place.behind(
            begins.body[-1], place.source.indent(begins.body[-1].lineno), [f"{_COUNTER_NAME} = 0"], 0.0, ""
        )
        one_more = place.before([f"{_COUNTER_NAME} += 1"], 0.0)
        at = place.source.span(entry.elts[-1])[0]
        changes = [(one.start, one.end, one.text) for one in (first, one_more)] + [(at, at, f"{_COUNTER_NAME}, ")]
        yield place.rewritten(sorted(changes), 2.6, "count what comes, and let the number decide between equals")


def _counters(place: EditSite) -> list[str]:
    """Attributes that `itertools.count` was given to."""
    owner = place.source.owner(place.stmt)
    return [
        place.text(node.targets[0])
        for node in (ast.walk(owner) if owner else ())
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Call)
        and place.text(node.value.func) in ("count", "itertools.count")
    ]


def _beginning(place: EditSite) -> ast.FunctionDef | None:
    owner = place.source.owner(place.stmt)
    begins = [one for one in (owner.body if owner else ()) if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    return next((one for one in begins if isinstance(one, ast.FunctionDef) and one is not place.func), None)


_BRACKETS = {"set": ("{", "}"), "frozenset": ("{", "}"), "list": ("[", "]"), "tuple": ("[", "]"), "sorted": ("[", "]")}
_INNER = ("set", "list", "dict")
_EACH_MOST = 8


def every_element_edits(place: EditSite) -> Iterator[Edit]:
    functions = _functions(place)[:_EACH_MOST]
    for node in place.nodes:
        if not isinstance(node, ast.Call) or node.keywords:
            continue
        name = place.text(node.func)
        if len(node.args) == 1 and name in _BRACKETS:
            yield from _applied(place, node, name, functions)
        yield from _each_deeper(place, node, name)


def _applied(place: EditSite, node: ast.Call, name: str, functions: list[str]) -> Iterator[Edit]:
    left, right = _BRACKETS[name]
    held = place.text(node.args[0])
    for n, function in enumerate(functions):
        yield place.swap(node, f"{left}{function}(one) for one in {held}{right}", 2.7 + 0.05 * n)


def _each_deeper(place: EditSite, node: ast.Call, name: str) -> Iterator[Edit]:
    """`dict(x)`, `list(x)` and `x.copy()` share what is in them."""
    if len(node.args) == 1 and name in ("dict", "copy", "copy.copy", "list"):
        held = place.text(node.args[0])
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
        held = place.text(node.func.value)
    else:
        return
    for n, inner in enumerate(_INNER):
        if name != "list":
            text = f"{{key: {inner}(value) for key, value in {held}.items()}}"
            yield place.swap(node, text, 2.0 + 0.1 * n)
        if name != "dict":
            yield place.swap(node, f"[{inner}(one) for one in {held}]", 2.2 + 0.1 * n)


def _functions(place: EditSite) -> list[str]:
    """Of one argument, of the object first."""
    one = {name for name, function in place.pool.signatures.items() if _takes_one(function.args)}
    own = [f"self.{name}" for name in one if f"self.{name}" in place.scope.own_attributes]
    return sorted(own) + [name for name in place.scope.globals if name in one]


def _takes_one(args: ast.arguments) -> bool:
    names = [one.arg for one in (*args.posonlyargs, *args.args) if one.arg not in ("self", "cls")]
    return len(names) == 1


_ENDS = ("/", ":", ".", "-", "_", " ")


def text_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=whole, attr="startswith" | "endswith" as name), args=[part], keywords=[]
            ):
                yield from _whole_parts(place, node, place.text(whole), name, place.text(part))
    pieces = [repr(text) for text in place.pool.facts.inserted]
    for n, piece in enumerate(pieces):
        for node in place.nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                at = place.source.span(node.left)[1]
                yield Edit(at, at, f" + {piece}", 2.0 + 0.1 * n, f"join with {piece}")
        if isinstance(place.stmt, (ast.Return, ast.Assign, ast.AugAssign)) and place.stmt.value is not None:
            value = place.stmt.value
            text = place.text(value)
            plain = (
                text
                if isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp))
                else f"({text})"
            )
            yield place.swap(value, f"{plain} + {piece}", 2.3 + 0.1 * n)
            yield place.swap(value, f"{piece} + {plain}", 2.3 + 0.1 * n)


def _whole_parts(place: EditSite, call: ast.Call, whole: str, name: str, part: str) -> Iterator[Edit]:
    """`a:b` begins with `a`, and `ab` does not: what ends a part, with the part alone allowed or not."""
    texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
    ends = [end for end in _ENDS if end in texts]
    for n, end in enumerate(ends):
        ended = f'{part} + "{end}"' if name == "startswith" else f'"{end}" + {part}'
        yield place.swap(call, f"({whole} == {part} or {whole}.{name}({ended}))", 2.4 + 0.1 * n)
        yield place.swap(call, f"{whole}.{name}({ended})", 2.5 + 0.1 * n)


_LASTING_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Pass)
_LASTING_MOST = 6
"""Statements behind it that may belong to the end."""


def any_case_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, (*_LASTING_LEAVING, ast.Try)):
        return
    at = next((n for n, one in enumerate(place.block) if one is place.stmt), len(place.block))
    rest = list(takewhile(lambda one: not isinstance(one, _LASTING_LEAVING), place.block[at + 1 :]))
    if not rest or len(rest) > _LASTING_MOST:
        return
    start, middle = place.source.line_span(place.stmt.lineno, place.stmt.end_lineno or place.stmt.lineno)
    end = place.source.line_span(rest[-1].lineno, rest[-1].end_lineno or rest[-1].lineno)[1]
    text, newline, indent = place.source.text, place.source.newline, place.indent
    held = _lasting_deeper(text[start:middle]) + f"{indent}finally:{newline}" + _lasting_deeper(text[middle:end])
    gives = any(isinstance(node, (ast.Yield, ast.Await)) for node in ast.walk(place.stmt))
    undone = at > 0 and bool(_given(place, place.block[at - 1]) & _given(place, rest[0]))
    cost = 1.9 if gives or undone else 3.0
    yield Edit(start, end, f"{indent}try:{newline}{held}", cost, "do what follows in any case, with `finally`")


def _given(place: EditSite, statement: ast.stmt) -> set[str]:
    """What a plain statement gives a value."""
    match statement:
        case ast.Assign(targets=targets):
            return {place.text(one) for one in targets}
        case ast.AugAssign(target=target):
            return {place.text(target)}
    return set()


def _lasting_deeper(text: str) -> str:
    return "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))


_STEP = "    "
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith)


def layout_edits(place: EditSite) -> Iterator[Edit]:
    if (
        not place.alone
        or isinstance(place.stmt, (*FUNCTIONS, ast.ClassDef))
        or place.source.function(place.stmt) is None
    ):
        return
    yield from _out(place)
    yield from _in(place)
    yield from _swapped(place)
    yield from _deleted(place)
    yield from _chained(place)


def _chained(place: EditSite) -> Iterator[Edit]:
    """`if` behind an `if` becomes its `elif`."""
    at = next(n for n, one in enumerate(place.block) if one is place.stmt)
    before = place.block[at - 1] if at else None
    if isinstance(place.stmt, ast.If) and isinstance(before, ast.If) and not before.orelse:
        start = place.source.span(place.stmt)[0]
        yield Edit(start, start, "el", 2.0, "`elif` instead of `if`")


def _layout_lines(place: EditSite, first: ast.stmt, last: ast.stmt) -> tuple[int, int]:
    return place.source.line_span(first.lineno, last.end_lineno or last.lineno)


def _shifted(text: str, old: str, new: str) -> str:
    return "".join(new + line[len(old) :] if line.startswith(old) else line for line in text.splitlines(keepends=True))


def _out(place: EditSite) -> Iterator[Edit]:
    """The last statement of a block goes behind the block; the first goes in front of it."""
    parent = place.source.parents[place.stmt]
    if not isinstance(parent, _BLOCKS) or len(place.block) < 2:
        return
    outer = place.source.indent(parent.lineno)
    start, end = _layout_lines(place, place.stmt, place.stmt)
    text = _shifted(place.source.text[start:end], place.indent, outer)
    if place.stmt is place.block[-1]:
        whole = _layout_lines(place, parent, parent)[1]
        rest = place.source.text[end:whole]
        yield Edit(start, whole, rest + _ended(place, text), 1.7, "move it out of the block, behind it")
    if place.stmt is place.block[0] and place.block is parent.body:
        before = _layout_lines(place, parent, parent)[0]
        yield Edit(before, end, text + place.source.text[before:start], 2.0, "move it out of the block, in front of it")


def _ended(place: EditSite, text: str) -> str:
    return text if text.endswith(("\n", "\r")) else text + place.source.newline


def _in(place: EditSite) -> Iterator[Edit]:
    """A statement behind (or in front of) a block goes into it."""
    at = next(n for n, one in enumerate(place.block) if one is place.stmt)
    start, end = _layout_lines(place, place.stmt, place.stmt)
    text = place.source.text[start:end]
    if at and isinstance(place.block[at - 1], _BLOCKS):
        block = place.block[at - 1]
        inner = _deepest_last(place, block)
        for holder in inner:
            new = _shifted(_ended(place, text), place.indent, place.source.indent(holder.lineno))
            top = _layout_lines(place, holder, holder)[1]
            yield Edit(top, end, new + place.source.text[top:start], 2.0, "move it into the block in front of it")
    if at + 1 < len(place.block) and isinstance(place.block[at + 1], _BLOCKS):
        first = place.block[at + 1].body[0]  # type: ignore[attr-defined]  # a block has one
        new = _shifted(text, place.indent, place.source.indent(first.lineno))
        into = place.source.line_span(first.lineno, first.lineno)[0]
        yield Edit(start, into, place.source.text[end:into] + new, 2.0, "move it into the block behind it")


def _deepest_last(place: EditSite, block: ast.stmt) -> list[ast.stmt]:
    """Last statements of the blocks that end where `block` ends, outermost first."""
    found: list[ast.stmt] = []
    while isinstance(block, _BLOCKS):
        last = (getattr(block, "orelse", None) or block.body)[-1]
        found.append(last)
        block = last
    return found


def _swapped(place: EditSite) -> Iterator[Edit]:
    block = block_of(place.source, place.stmt)
    at = next(n for n, one in enumerate(block) if one is place.stmt)
    if at + 1 < len(block):
        (a, b), (c, d) = (
            _layout_lines(place, place.stmt, place.stmt),
            _layout_lines(place, block[at + 1], block[at + 1]),
        )
        text = place.source.text
        yield Edit(a, d, _ended(place, text[c:d]) + text[b:c] + text[a:b], 2.2, "exchange it with the next statement")


def _deleted(place: EditSite) -> Iterator[Edit]:
    start, end = _layout_lines(place, place.stmt, place.stmt)
    if len(place.block) > 1:
        counted = isinstance(place.stmt, ast.AugAssign)
        yield Edit(start, end, "", 2.4 if counted else 3.2, "leave the statement out")
    if isinstance(place.stmt, ast.If) and not place.stmt.orelse:
        first, last = place.stmt.body[0], place.stmt.body[-1]
        inner = place.source.text[slice(*_layout_lines(place, first, last))]
        body = textwrap.indent(textwrap.dedent(inner), place.indent)
        yield Edit(start, end, body, 3.0, "do it without the condition")


_KNOWN = ("int", "str", "list", "float", "tuple", "dict", "set", "sorted")
_MADE_METHODS = ("strip()", "lower()", "copy()", "encode()", "decode()", "upper()")
_MARK = "\ufeff"
"""What some editors write in front of a text."""

_MADE_MOST = 10
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def shape_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    if place.stmt in place.func.body[:2]:
        for name in [one for one in place.scope.parameters if one not in ("self", "cls")][:4]:
            if _is_read_again(place.func, name):
                yield place.before([f"{name} = list({name})"], 2.4)
            for cost, line in _shaped(place, name):
                yield place.before([line], cost)
    if isinstance(place.stmt, ast.Assign) and isinstance(place.stmt.targets[0], ast.Name):
        for cost, line in _shaped(place, place.stmt.targets[0].id):
            yield place.after([line], cost + 0.2)


def _is_read_again(function: Function, name: str) -> bool:
    """Whether the function goes through it, or looks in it, in a loop or several times: an iterator is used up then."""
    return sum(_readings(function, name, 1)) > 1


def _readings(node: ast.AST, name: str, times: int) -> Iterator[int]:
    match node:
        case ast.For(iter=ast.Name(id=read)) | ast.comprehension(iter=ast.Name(id=read)) if read == name:
            yield times
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=read)]) if read == name:
            yield times
    inside = 2 * times if isinstance(node, (ast.For, ast.While, ast.comprehension, *_COMPREHENSIONS)) else times
    for child in ast.iter_child_nodes(node):
        yield from _readings(child, name, inside)


def _shaped(place: EditSite, name: str) -> Iterator[tuple[float, str]]:
    helpers = place.scope.of_one
    for n, helper in enumerate(helpers[:_MADE_MOST]):
        yield 2.5 + 0.05 * n, f"{name} = {helper}({name})"
    if any(isinstance(one, str) and _MARK in one for one in place.pool.facts.literals):
        yield 1.0, f'{name} = {name}.removeprefix("\\ufeff")'
    for n, helper in enumerate(_KNOWN):
        yield 2.8 + 0.04 * n, f"{name} = {helper}({name})"
    for n, method in enumerate(_MADE_METHODS):
        yield 2.8 + 0.04 * n, f"{name} = {name}.{method}"


_FAR = 5


def statement_order_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, (*FUNCTIONS, ast.ClassDef, ast.Return)):
        return
    at = next((n for n, one in enumerate(place.block) if one is place.stmt), -1)
    start, end = _moved_lines(place, place.stmt)
    text, own = place.source.text, place.source.text[start:end]
    if at < 0 or not own.endswith(("\n", "\r")):
        return
    for far in range(2, _FAR + 1):  # the next place is the layout family's
        if at + far < len(place.block):
            behind = _moved_lines(place, place.block[at + far])[1]
            if text[:behind].endswith(("\n", "\r")):
                yield Edit(start, behind, text[end:behind] + own, 2.4 + 0.1 * far, f"do it {far} statements later")
        if at - far >= 0:
            before = _moved_lines(place, place.block[at - far])[0]
            yield Edit(before, end, own + text[before:start], 2.4 + 0.1 * far, f"do it {far} statements sooner")


def _moved_lines(place: EditSite, statement: ast.stmt) -> tuple[int, int]:
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
    return place.source.line_span(first, statement.end_lineno or statement.lineno)


_COMPARING = ("sorted", "min", "max", "sort")
_KEYS = ("len", "str.lower", "abs", "str", "int", "lambda one: one[0]", "lambda one: one[1]", "lambda one: one[-1]",
         "lambda one: -one", "lambda one: (len(one), one)", "lambda one: (-len(one), one)",
         "lambda one: (len(set(one)), one)", "lambda one: (-len(set(one)), one)")  # fmt: skip
_ORDER_NAMES = 6


def sort_key_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call) and _compares(node):
            yield from _keyed(place, node)
        elif isinstance(node, ast.Lambda) and _is_key(place, node):
            yield from _turned(place, node)
    if isinstance(place.stmt, (ast.Return, ast.Assign)) and isinstance(place.stmt.value, (ast.Name, ast.ListComp)):
        held = place.text(place.stmt.value)
        for n, key in enumerate(_keys(place)):
            yield place.swap(place.stmt.value, f"sorted({held}, key={key})", 2.9 + 0.03 * n)
    for node in place.nodes:
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and isinstance(place.source.parents[node], ast.Call):
            for n, key in enumerate(_keys(place)):
                yield place.swap(node, f"sorted({place.text(node)}, key={key})", 2.9 + 0.03 * n)


def _compares(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return name in _COMPARING


def _keyed(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    given = next((word for word in node.keywords if word.arg == "key"), None)
    end = place.source.span(node)[1] - 1
    joint = ", " if node.args or node.keywords else ""
    for n, key in enumerate(_keys(place)):
        if given is None:
            yield Edit(end, end, f"{joint}key={key}", 2.2 + 0.03 * n, f"compare by `{key}`")
        elif place.text(given.value) != key:
            yield place.swap(given.value, key, 2.2 + 0.03 * n)


def _keys(place: EditSite) -> list[str]:
    """What can be asked of each thing: a place in a local table, an attribute, a function of the file."""
    tables = [name for name in place.scope.locals if _is_table(place, name)]
    looked = [f"lambda one: {name}[one]" for name in tables[:3]]
    other = [f"lambda one: {name}.get(one, 0)" for name in place.scope.locals[:3] if name not in tables]
    asked = [f"lambda one: one.{name}" for name, _ in place.pool.attributes.most_common(_ORDER_NAMES)]
    return [*looked, *_KEYS, *place.scope.of_one[:4], *other, *asked]


def _is_table(place: EditSite, name: str) -> bool:
    root = place.func or place.source.tree
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, (ast.Dict, ast.DictComp))
        and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
        for node in ast.walk(root)
    )


def _is_key(place: EditSite, node: ast.Lambda) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.keyword) and parent.arg == "key"


def _turned(place: EditSite, node: ast.Lambda) -> Iterator[Edit]:
    """Parts of the key turned round, left out, or with the thing itself to decide between equals."""
    body, argument = node.body, node.args.args[0].arg if node.args.args else ""
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    for part in parts:
        text = place.text(part)
        tight = text if isinstance(part, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
            yield place.swap(part, place.text(part.operand), 1.8)
        else:
            yield place.swap(part, f"-{tight}", 1.8)
    if isinstance(body, ast.Tuple):
        for n in range(len(parts)):
            yield place.left_out(parts, n, 2.2, f"do not compare by `{place.text(parts[n])}`")
    elif argument:
        yield place.swap(body, f"({place.text(body)}, {argument})", 2.0)
        yield place.swap(body, f"({argument}, {place.text(body)})", 2.4)


def repetition_edits(place: EditSite) -> Iterator[Edit]:
    match place.stmt:
        case ast.If(orelse=[]):
            yield from _word(place, "if", "while", 2.0)
        case ast.While(orelse=[]):
            yield from _word(place, "while", "if", 2.2)
            yield from _step(place, place.stmt)


def _word(place: EditSite, old: str, new: str, cost: float) -> Iterator[Edit]:
    start = place.source.span(place.stmt)[0]
    if place.source.text.startswith(old, start):  # an `elif` cannot be repeated
        yield Edit(start, start + len(old), new, cost, f"`{new}` instead of `{old}`")


def _step(place: EditSite, loop: ast.While) -> Iterator[Edit]:
    """What the condition asks about goes on by one at the end of each round."""
    last = loop.body[-1]
    if last.lineno == loop.lineno:
        return
    indent = place.source.indent(loop.body[0].lineno)
    asked = dict.fromkeys(node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name))
    for n, name in enumerate([name for name in asked if name in place.scope.locals]):
        for step in ("+= 1", "-= 1"):
            what = f"add `{name} {step}` at the end of each round"
            yield place.behind(last, indent, [f"{name} {step}"], 2.1 + 0.1 * n, what)


_CHANGING_METHODS = (
    "append", "appendleft", "extend", "insert", "add", "update", "setdefault", "remove", "discard", "pop", "popitem",
    "popleft", "clear", "sort", "reverse",
)  # fmt: skip


def list_changed_values(code: ast.AST) -> Iterator[ast.expr]:
    """What is given a value, an item, loses one, or is told to change itself; anywhere inside of this."""
    for node in ast.walk(code):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _CHANGING_METHODS:
                yield value
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                yield value
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield node


_EMPTY = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple)
_ODD = 0.6
"""What it costs more in a function that changes nothing else, or has just given the attribute another value."""

_MAKERS = ("set", "list", "dict", "deque", "Counter", "defaultdict", "OrderedDict")


def reset_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS) or place.func.name == "__init__":
        return
    stale = _made_of(place, {place.text(one) for one in list_changed_values(place.stmt)})
    given = {place.text(one) for one in list_changed_values(place.func) if place.text(one).startswith("self.")}
    for n, (name, line) in enumerate(_first_values(place).items()):
        odd = _ODD if name in given or not given else 0.0
        if isinstance(place.stmt, (ast.Return, ast.Raise)) or place.stmt is place.func.body[0]:
            yield place.before([line], 2.6 + 0.05 * n + odd)
        if not isinstance(place.stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            yield place.after([line], (1.6 if name in stale - given else 2.5 + odd) + 0.05 * n)


def _made_of(place: EditSite, parts: Collection[str]) -> set[str]:
    """Attributes that are reckoned from one of these anywhere in the class."""
    owner = place.source.owner(place.stmt)
    return {
        place.text(target)
        for node in (ast.walk(owner) if owner and parts else ())
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Attribute) and place.text(part) in parts
    }


def _first_values(place: EditSite) -> dict[str, str]:
    """`self.x` with `self.x = …` as the class begins with it, where that is a plain or an empty value."""
    owner = place.source.owner(place.stmt)
    if owner is None:
        return {}
    begins = [one for one in owner.body if isinstance(one, FUNCTIONS) and one.name == "__init__"]
    return {
        place.text(target): f"{place.text(target)} = {place.text(node.value)}"
        for init in begins
        for node in ast.walk(init)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _is_plain(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute)
    }


def _is_plain(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _MAKERS and not value.args
    return isinstance(value, _EMPTY) and not any(isinstance(one, ast.Name) for one in ast.walk(value))


_AROUND = {"int": 2.6, "float": 2.8, "str": 2.6, "len": 2.6, "abs": 2.4, "list": 2.6, "sorted": 2.4, "set": 2.8,
           "tuple": 3.0, "dict": 2.9, "bool": 3.0, "sum": 3.0, "reversed": 3.0, "any": 3.2, "all": 3.2, "max": 3.2,
           "min": 3.2, "round": 2.6, "enumerate": 3.0, "iter": 3.2}  # fmt: skip
_BEHIND = {
    ".strip()": 2.4,
    ".lower()": 2.4,
    ".copy()": 2.6,
    ".upper()": 3.0,
    ".items()": 2.6,
    ".values()": 2.8,
    ".rstrip()": 3.0,
    ".split()": 2.8,
    ".title()": 3.2,
    ".casefold()": 3.2,
}
_SHAPED = {"max(0, {})": 2.6, "max({}, 0)": 3.2, "round({}, 2)": 2.5, "max(1, {})": 3.2, "min({}, 1)": 3.2,
           "{}[:]": 3.2, "({} or [])": 3.0, "({} or 0)": 3.0, '({} or "")': 3.0, "({} or {{}})": 3.2,
           "-{}": 2.4, "1 - {}": 3.0, "{} ** 2": 3.0, "{} ** 3": 3.2, "{} / 2": 2.8, "{} // 2": 2.9, "{} * 2": 2.8,
           "{} % 10": 3.2}  # fmt: skip
_SCALED = {"2 * {}": 2.3, "{} // 2": 2.4}
"""Of what is compared, added or counted to."""

_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict)


def wrap_edits(place: EditSite) -> Iterator[Edit]:
    match place.stmt:
        case ast.For(iter=ast.Name() | ast.Attribute() as container) if _changes(place, place.stmt, container):
            yield place.swap(container, f"list({place.text(container)})", 1.5)
    for node in place.nodes:
        if isinstance(node, ast.Call):
            yield from _unwrapped(place, node)
        if isinstance(node, ast.Attribute) and place.loads(node) and not _called(place, node):
            yield place.swap(node, f"{place.text(node)}()", 1.8)
        if place.loads(node) and not isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.JoinedStr)):
            yield from _wrapped(place, node)


def _called(place: EditSite, node: ast.expr) -> bool:
    parent = place.source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _changes(place: EditSite, loop: ast.For, container: ast.expr) -> bool:
    """Whether the loop changes what it goes through."""
    name = place.text(container)
    return any(place.text(one) == name for statement in loop.body for one in list_changed_values(statement))


def _is_measured(parent: ast.AST) -> bool:
    added = isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub))
    return added or isinstance(parent, (ast.Compare, ast.Slice))


def _unwrapped(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    for argument in node.args[:3]:
        if not isinstance(argument, ast.Starred):
            yield place.swap(node, place.text(argument), 2.2)
    if isinstance(node.func, ast.Attribute):
        yield place.swap(node, place.text(node.func.value), 2.4)
    if not node.args and not node.keywords:
        yield place.swap(node, place.text(node.func), 2.6)


def _wrapped(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    if _called(place, node) or isinstance(place.source.parents[node], (ast.FormattedValue, ast.Attribute)):
        return
    text = place.text(node)
    tight = text if isinstance(node, _ATOMS) else f"({text})"
    for name, cost in _AROUND.items():
        yield place.swap(node, f"{name}({text})", cost)
    for suffix, cost in _BEHIND.items():
        yield place.swap(node, tight + suffix, cost)
    for shape, cost in _SHAPED.items():
        yield place.swap(node, shape.format(text if "(" in shape and not shape.startswith("(") else tight), cost)
    if _is_measured(place.source.parents[node]):
        for shape, cost in _SCALED.items():
            yield place.swap(node, shape.format(tight), cost)
    for name in place.scope.locals[:6]:
        if name != text:
            yield place.swap(node, f"min({text}, {name})", 3.2)
            yield place.swap(node, f"max({text}, {name})", 3.2)
            yield place.swap(node, f"{tight} + {name}", 3.0)
            yield place.swap(node, f"{tight} - {name}", 3.0)
            yield place.swap(node, f"{tight} * {name}", 3.1)
    for before, after in place.scope.comprehensions:
        yield place.swap(node, f"{before}{text}{after}", 2.6)
    for function in place.scope.globals:
        if function in place.pool.signatures and len(place.pool.signatures[function].args.args) == 1:
            yield place.swap(node, f"{function}({text})", 2.8)
    for method, signature in place.pool.signatures.items():
        if f"self.{method}" in place.scope.own_attributes and len(signature.args.args) == 2:
            yield place.swap(node, f"self.{method}({text})", 2.9)
    if isinstance(node, ast.Call) and isinstance(place.func, ast.AsyncFunctionDef):
        yield place.swap(node, f"await {text}", 1.5)
