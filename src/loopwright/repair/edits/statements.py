"""A guard that other functions have and this one forgot: copied, and put in this one's words."""

import ast
import builtins
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

from ..source import FUNCTIONS, find_init
from .site import LEAVING, Edit, EditSite, called_name

_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_SHORTEST, _LONGEST, _COPIED_MOST, _COPIED_NAMES = 2, 6, 16, 5


def copied_guard_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, FUNCTIONS):
        return
    here = place.scope.remembered(("guards", place.source.tree), lambda: _guards(place))
    around = next(one for one in place.source.ancestors(place.stmt) if isinstance(one, (*FUNCTIONS, *_LOOPS)))
    inside = isinstance(around, _LOOPS)
    for n, guard in enumerate(here[:_COPIED_MOST]):
        if inside or not re.search(r"\b(continue|break)$", guard):
            for m, text in enumerate(_in_our_words(place, guard)):
                yield place.before(text.split("\n"), 2.6 + 0.06 * n + 0.1 * m)


def _guards(place: EditSite) -> list[str]:
    """`if …:` with one or two lines that leave, as text without indentation; those found often first."""
    found: Counter[str] = Counter()
    for node in ast.walk(place.source.tree):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], LEAVING):
            lines = place.text(node).split("\n")
            indent = place.source.indent(node.lineno)
            if _SHORTEST <= len(lines) <= _LONGEST and all(line.startswith(indent) for line in lines[1:]):
                found["\n".join([lines[0], *(line[len(indent) :] for line in lines[1:])]).removeprefix("el")] += 1
    return [text for text, _ in found.most_common()]


def _in_our_words(place: EditSite, guard: str) -> list[str]:
    """As it is where it uses only what is known here, else with the one name that is not known exchanged for ours."""
    names = dict.fromkeys(node.id for node in ast.walk(ast.parse(guard)) if isinstance(node, ast.Name))
    known = {*place.scope.locals, *place.scope.parameters, *place.scope.all_globals, *dir(builtins)}
    strange = [name for name in names if name not in known]
    if len(strange) != 1:
        return [] if strange else [guard]
    return [re.sub(rf"(?<!\.)\b{strange[0]}\b", new, guard) for new in place.scope.locals[:_COPIED_NAMES]]


_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_COPYLINE_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\()")
_COPYLINE_MOST = 12


def copyline_edits(place: EditSite) -> Iterator[Edit]:
    if isinstance(place.stmt, FUNCTIONS) or not place.alone or place.func is None:
        return
    for cost, line in _copyline_lines(place):
        yield place.before([line], cost) if isinstance(place.stmt, LEAVING) else place.after([line], cost)
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
    for n, line in enumerate([line for line in _simple(place, place.owner) if line not in near][: 2 * _COPYLINE_MOST]):
        yield 3.3 + 0.04 * n, line
    if place.func is not None and place.func.name == "__init__":
        for name in place.scope.locals:
            yield 2.2, f"self.{name} = {name}"


def _simple(place: EditSite, root: ast.AST | None) -> list[str]:
    if root is None:
        return []

    def find() -> list[str]:
        nodes = [node for node in ast.walk(root) if isinstance(node, _SIMPLE)]
        docstrings = [node for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
        found = [place.text(node) for node in nodes if node not in docstrings]
        return [line for line in dict.fromkeys(found) if "\n" not in line]

    return place.scope.remembered(("simple", root), find)


def _opposites(place: EditSite) -> Iterator[str]:
    """What the function or class adds somewhere, taken away here; and the other way round."""
    for line in [*_simple(place, place.func), *_simple(place, place.owner)]:
        if " += " in line:
            yield line.replace(" += ", " -= ")
        elif " -= " in line:
            yield line.replace(" -= ", " += ")


def _adapted(place: EditSite, line: str) -> Iterator[str]:
    known = place.scope.locals
    for old in dict.fromkeys(_COPYLINE_NAME.findall(line)):
        for new in known[:8] if old in known else ():
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
            for entry in node.args:
                if isinstance(entry, ast.Tuple) and len(entry.elts) > 1:
                    yield from _counted(place, entry)


def _counted(place: EditSite, entry: ast.Tuple) -> Iterator[Edit]:
    """In place of a part, or in front of the last one, whatever that is compared by."""
    # attributes that `itertools.count` was given to
    counters = [
        place.text(node.targets[0])
        for node in (ast.walk(place.owner) if place.owner else ())
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Call)
        and place.text(node.value.func) in ("count", "itertools.count")
    ]
    for counter in counters:
        for part in entry.elts[1:-1]:
            yield place.swap(part, f"next({counter})", 2.2)
        yield place.swap(entry.elts[-1], f"next({counter}), {place.text(entry.elts[-1])}", 2.2)
    begins = find_init(place.owner)
    if begins and begins is not place.func and not counters and _COUNTER_NAME not in place.scope.own_attributes:
        last = begins.body[-1]
        first = place.behind(last, place.source.indent(last.lineno), [f"{_COUNTER_NAME} = 0"], 0.0, "")
        one_more = place.before([f"{_COUNTER_NAME} += 1"], 0.0)
        at = place.source.span(entry.elts[-1])[0]
        changes = [(one.start, one.end, one.text) for one in (first, one_more)] + [(at, at, f"{_COUNTER_NAME}, ")]
        yield place.rewritten(sorted(changes), 2.6, "count what comes, and let the number decide between equals")


_BRACKETS = {"set": ("{", "}"), "frozenset": ("{", "}"), "list": ("[", "]"), "tuple": ("[", "]"), "sorted": ("[", "]")}
_INNER = ("set", "list", "dict")
_EACH_MOST = 8


def every_element_edits(place: EditSite) -> Iterator[Edit]:
    # of one argument, of the object first
    one = {name for name, function in place.pool.signatures.items() if _takes_one(function.args)}
    own = [f"self.{name}" for name in one if f"self.{name}" in place.scope.own_attributes]
    functions = (sorted(own) + [name for name in place.scope.globals if name in one])[:_EACH_MOST]
    for node in place.nodes:
        if not isinstance(node, ast.Call) or node.keywords:
            continue
        name = place.text(node.func)
        if len(node.args) == 1 and name in _BRACKETS:
            left, right = _BRACKETS[name]
            held = place.text(node.args[0])
            texts = [f"{left}{function}(one) for one in {held}{right}" for function in functions]
            yield from place.swaps(node, texts, 2.7, 0.05)
        yield from _each_deeper(place, node, name)


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


def _takes_one(args: ast.arguments) -> bool:
    names = [one.arg for one in (*args.posonlyargs, *args.args) if one.arg not in ("self", "cls")]
    return len(names) == 1


_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_ENDS = ("/", ":", ".", "-", "_", " ")


def text_edits(place: EditSite) -> Iterator[Edit]:
    for node in place.nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=whole, attr="startswith" | "endswith" as name), args=[part], keywords=[]
            ):
                yield from _whole_parts(place, node, place.text(whole), name, place.text(part))
    for n, piece in enumerate(map(repr, place.pool.facts.inserted)):
        for node in place.nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                at = place.source.span(node.left)[1]
                yield Edit(at, at, f" + {piece}", 2.0 + 0.1 * n, f"join with {piece}")
        if isinstance(place.stmt, (ast.Return, ast.Assign, ast.AugAssign)) and place.stmt.value is not None:
            value = place.stmt.value
            plain = place.text(value) if isinstance(value, (*_TIGHT, ast.BinOp)) else f"({place.text(value)})"
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


_LASTING_MOST = 6
"""Statements behind it that may belong to the end."""


def any_case_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or place.func is None or isinstance(place.stmt, (*LEAVING, ast.Pass, ast.Try)):
        return
    at = place.index
    rest = list(takewhile(lambda one: not isinstance(one, (*LEAVING, ast.Pass)), place.block[at + 1 :]))
    if not rest or len(rest) > _LASTING_MOST:
        return
    (start, middle), end = place.source.lines_of(place.stmt), place.source.lines_of(rest[-1])[1]
    text, newline, indent = place.source.text, place.source.newline, place.indent
    held = _deeper(text[start:middle]) + f"{indent}finally:{newline}" + _deeper(text[middle:end])
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


def _deeper(text: str) -> str:
    return "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))


_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.AsyncFor, ast.AsyncWith)


def layout_edits(place: EditSite) -> Iterator[Edit]:
    if not place.alone or isinstance(place.stmt, (*FUNCTIONS, ast.ClassDef)) or not place.source.function(place.stmt):
        return
    yield from _out(place)
    yield from _in(place)
    (start, end), text = place.source.lines_of(place.stmt), place.source.text
    if place.index + 1 < len(place.block):
        first, last = place.source.lines_of(place.block[place.index + 1])
        new = place.ended(text[first:last]) + text[end:first] + text[start:end]
        yield Edit(start, last, new, 2.2, "exchange it with the next statement")
    yield from _deleted(place)
    # `if` behind an `if` becomes its `elif`
    before = place.block[place.index - 1] if place.index else None
    if isinstance(place.stmt, ast.If) and isinstance(before, ast.If) and not before.orelse:
        start = place.source.span(place.stmt)[0]
        yield Edit(start, start, "el", 2.0, "`elif` instead of `if`")


def _shifted(text: str, old: str, new: str) -> str:
    return "".join(new + line[len(old) :] if line.startswith(old) else line for line in text.splitlines(keepends=True))


def _out(place: EditSite) -> Iterator[Edit]:
    """The last statement of a block goes behind the block; the first goes in front of it."""
    parent = place.source.parents[place.stmt]
    if not isinstance(parent, _BLOCKS) or len(place.block) < 2:
        return
    outer = place.source.indent(parent.lineno)
    start, end = place.source.lines_of(place.stmt)
    text = _shifted(place.source.text[start:end], place.indent, outer)
    if place.stmt is place.block[-1]:
        whole = place.source.lines_of(parent)[1]
        rest = place.source.text[end:whole]
        yield Edit(start, whole, rest + place.ended(text), 1.7, "move it out of the block, behind it")
    if place.stmt is place.block[0] and place.block is parent.body:
        before = place.source.lines_of(parent)[0]
        yield Edit(before, end, text + place.source.text[before:start], 2.0, "move it out of the block, in front of it")


def _in(place: EditSite) -> Iterator[Edit]:
    """A statement behind (or in front of) a block goes into it."""
    at = place.index
    start, end = place.source.lines_of(place.stmt)
    text = place.source.text[start:end]
    if at and isinstance(place.block[at - 1], _BLOCKS):
        block = place.block[at - 1]
        found: list[ast.stmt] = []
        while isinstance(block, _BLOCKS):
            block = (getattr(block, "orelse", None) or block.body)[-1]
            found.append(block)
        for holder in found:
            new = _shifted(place.ended(text), place.indent, place.source.indent(holder.lineno))
            top = place.source.lines_of(holder)[1]
            yield Edit(top, end, new + place.source.text[top:start], 2.0, "move it into the block in front of it")
    if at + 1 < len(place.block) and isinstance(place.block[at + 1], _BLOCKS):
        first = place.block[at + 1].body[0]  # type: ignore[attr-defined]  # a block has one
        new = _shifted(text, place.indent, place.source.indent(first.lineno))
        into = place.source.lines_of(first)[0]
        yield Edit(start, into, place.source.text[end:into] + new, 2.0, "move it into the block behind it")


def _deleted(place: EditSite) -> Iterator[Edit]:
    start, end = place.source.lines_of(place.stmt)
    if len(place.block) > 1:
        counted = isinstance(place.stmt, ast.AugAssign)
        yield Edit(start, end, "", 2.4 if counted else 3.2, "leave the statement out")
    if isinstance(place.stmt, ast.If) and not place.stmt.orelse:
        first, last = place.source.lines_of(place.stmt.body[0])[0], place.source.lines_of(place.stmt.body[-1])[1]
        inner = place.source.text[first:last]
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
            # an iterator is used up when the function goes through it, or looks in it, in a loop or several times
            if sum(_readings(place.func, name, 1)) > 1:
                yield place.before([f"{name} = list({name})"], 2.4)
            for cost, line in _shaped(place, name):
                yield place.before([line], cost)
    if isinstance(place.stmt, ast.Assign) and isinstance(place.stmt.targets[0], ast.Name):
        for cost, line in _shaped(place, place.stmt.targets[0].id):
            yield place.after([line], cost + 0.2)


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
    at = place.index
    start, end = _moved_lines(place, place.stmt)
    text, own = place.source.text, place.source.text[start:end]
    if not own.endswith(("\n", "\r")):
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
        if isinstance(node, ast.Call) and called_name(node) in _COMPARING:
            yield from _keyed(place, node)
        elif isinstance(node, ast.Lambda):
            parent = place.source.parents[node]
            yield from _turned(place, node) if isinstance(parent, ast.keyword) and parent.arg == "key" else ()
    if isinstance(place.stmt, (ast.Return, ast.Assign)) and isinstance(place.stmt.value, (ast.Name, ast.ListComp)):
        held = place.text(place.stmt.value)
        yield from place.swaps(place.stmt.value, [f"sorted({held}, key={key})" for key in _keys(place)], 2.9, 0.03)
    for node in place.nodes:
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and isinstance(place.source.parents[node], ast.Call):
            held = place.text(node)
            yield from place.swaps(node, [f"sorted({held}, key={key})" for key in _keys(place)], 2.9, 0.03)


def _keyed(place: EditSite, node: ast.Call) -> Iterator[Edit]:
    given = next((word for word in node.keywords if word.arg == "key"), None)
    if given is not None:
        yield from place.swaps(given.value, _keys(place), 2.2, 0.03)
        return
    for n, key in enumerate(_keys(place)):
        yield place.append_argument(node, f"key={key}", 2.2 + 0.03 * n, f"compare by `{key}`")


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


def _turned(place: EditSite, node: ast.Lambda) -> Iterator[Edit]:
    """Parts of the key turned round, left out, or with the thing itself to decide between equals."""
    body, argument = node.body, node.args.args[0].arg if node.args.args else ""
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    for part in parts:
        text = place.text(part)
        tight = text if isinstance(part, _TIGHT) else f"({text})"
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
            if place.stmt.body[-1].lineno > place.stmt.lineno:
                # what the condition asks about goes on by one at the end of each round
                indent = place.source.indent(place.stmt.body[0].lineno)
                asked = dict.fromkeys(node.id for node in ast.walk(place.stmt.test) if isinstance(node, ast.Name))
                for n, name in enumerate([name for name in asked if name in place.scope.locals]):
                    for step in ("+= 1", "-= 1"):
                        what = f"add `{name} {step}` at the end of each round"
                        yield place.behind(place.stmt.body[-1], indent, [f"{name} {step}"], 2.1 + 0.1 * n, what)


def _word(place: EditSite, old: str, new: str, cost: float) -> Iterator[Edit]:
    start = place.source.span(place.stmt)[0]
    if place.source.text.startswith(old, start):  # an `elif` cannot be repeated
        yield Edit(start, start + len(old), new, cost, f"`{new}` instead of `{old}`")


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
    # attributes that are reckoned from one of these anywhere in the class
    parts = {place.text(one) for one in list_changed_values(place.stmt)}
    owner = place.source.owner(place.stmt)
    stale = {
        place.text(target)
        for node in (ast.walk(owner) if owner and parts else ())
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Attribute) and place.text(part) in parts
    }
    given = {place.text(one) for one in list_changed_values(place.func) if place.text(one).startswith("self.")}
    for n, (name, line) in enumerate(_first_values(place).items()):
        odd = _ODD if name in given or not given else 0.0
        if isinstance(place.stmt, (ast.Return, ast.Raise)) or place.stmt is place.func.body[0]:
            yield place.before([line], 2.6 + 0.05 * n + odd)
        if not isinstance(place.stmt, LEAVING):
            yield place.after([line], (1.6 if name in stale - given else 2.5 + odd) + 0.05 * n)


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
        case ast.For(iter=ast.Name() | ast.Attribute() as container, body=body):
            name = place.text(container)
            if any(place.text(one) == name for statement in body for one in list_changed_values(statement)):
                yield place.swap(container, f"list({name})", 1.5)
    for node in place.nodes:
        if isinstance(node, ast.Call):
            for argument in node.args[:3]:
                if not isinstance(argument, ast.Starred):
                    yield place.swap(node, place.text(argument), 2.2)
            if isinstance(node.func, ast.Attribute):
                yield place.swap(node, place.text(node.func.value), 2.4)
            if not node.args and not node.keywords:
                yield place.swap(node, place.text(node.func), 2.6)
        if isinstance(node, ast.Attribute) and place.loads(node) and not place.is_called(node):
            yield place.swap(node, f"{place.text(node)}()", 1.8)
        if place.loads(node) and not isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.JoinedStr)):
            yield from _wrapped(place, node)


def _wrapped(place: EditSite, node: ast.expr) -> Iterator[Edit]:
    if place.is_called(node) or isinstance(place.source.parents[node], (ast.FormattedValue, ast.Attribute)):
        return
    text = place.text(node)
    tight = text if isinstance(node, _ATOMS) else f"({text})"
    for name, cost in _AROUND.items():
        yield place.swap(node, f"{name}({text})", cost)
    for suffix, cost in _BEHIND.items():
        yield place.swap(node, tight + suffix, cost)
    for shape, cost in _SHAPED.items():
        yield place.swap(node, shape.format(text if "(" in shape and not shape.startswith("(") else tight), cost)
    parent = place.source.parents[node]
    added = isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Sub))
    if added or isinstance(parent, (ast.Compare, ast.Slice)):
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
