"""One source file as text and as tree: where a node stands in the text, and what encloses it."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class SourceText:
    """`path` is relative to the project, with '/'. Offsets count characters of `text`."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)
        self.lines: list[str] = [line for line in _LINE.findall(text) if line]
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Character offset of a 1-based line and a column in UTF-8 bytes, as ast counts them."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if not text.isascii():
            column = len(text.encode()[:column].decode(errors="ignore"))
        return self._starts[line - 1] + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Start and end offsets of a node that has a position."""
        at = node_position(node)
        return self.offset(at[0], at[1]), self.offset(at[2], at[3])

    def segment(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def line_span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of whole lines, both included, with the line end of the last."""
        return self._starts[first - 1], self._starts[min(last, len(self.lines))]

    def lines_of(self, node: ast.stmt) -> tuple[int, int]:
        """Offsets of a statement's whole lines."""
        return self.line_span(node.lineno, node.end_lineno or node.lineno)

    def indent(self, line: int) -> str:
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    @cached_property
    def newline(self) -> str:
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """From the parent up to the module."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around `node`, not `node` itself."""
        return next((above for above in self.ancestors(node) if isinstance(above, FUNCTIONS)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        return next((above for above in self.ancestors(node) if isinstance(above, ast.ClassDef)), None)

    def qualname(self, node: ast.AST) -> str:
        """Dotted names of the functions and classes around `node`; `<module>` outside of all."""
        named = [above.name for above in self.ancestors(node) if isinstance(above, (*FUNCTIONS, ast.ClassDef))]
        return ".".join(reversed(named)) or "<module>"

    def namesakes(self, function: Function) -> list[Function]:
        """All functions of that name: one keeps its place among them when another text is put into the file."""
        return [node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS) and node.name == function.name]

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """All statements in the order of the text, without docstrings."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt) and not _is_docstring(node)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    @cached_property
    def by_line(self) -> dict[int, ast.stmt]:
        """The innermost statement whose own part (a compound statement's header) covers a line."""
        owners: dict[int, ast.stmt] = {}
        for statement in self.statements:
            for line in range(statement.lineno, header_end(statement) + 1):
                owners[line] = statement
        return owners


def find_init(owner: ast.ClassDef | None) -> Function | None:
    body = owner.body if owner else []
    return next((one for one in body if isinstance(one, FUNCTIONS) and one.name == "__init__"), None)


def list_parameters(function: Function | None) -> list[str]:
    """Those that may be passed by name."""
    return [one.arg for one in (*function.args.args, *function.args.kwonlyargs)] if function else []


def list_defaults(function: Function) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have one, with it."""
    plain = [*function.args.posonlyargs, *function.args.args]
    pairs = [
        *zip(plain[len(plain) - len(function.args.defaults) :], function.args.defaults, strict=True),
        *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True),
    ]
    return [(parameter, default) for parameter, default in pairs if default is not None]


def node_position(node: ast.AST) -> tuple[int, int, int, int]:
    """First line, first column, last line, last column (columns in UTF-8 bytes)."""
    if not isinstance(node, (ast.expr, ast.stmt, ast.excepthandler, ast.arg, ast.keyword, ast.alias)):
        raise ValueError(f"{type(node).__name__} has no place in the text")
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def body_of(node: ast.stmt) -> list[ast.stmt] | None:
    """The first block of a compound statement, None for a simple one."""
    if isinstance(node, ast.Match):
        return node.cases[0].body
    body = getattr(node, "body", None)
    return body if isinstance(body, list) else None


def header_end(node: ast.stmt) -> int:
    """Last line of a statement's own part."""
    body = body_of(node)
    if body is None:
        return node.end_lineno or node.lineno
    return max(
        node.lineno, min(body[0].lineno - 1, max((node_position(part)[2] for part in list_headers(node)), default=0))
    )


def list_headers(node: ast.stmt) -> list[ast.expr]:
    """The expressions that belong to the statement itself, not to statements inside it."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        if isinstance(node, ast.ClassDef):
            return []
        return [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    if isinstance(node, ast.Try):
        return [handler.type for handler in node.handlers if handler.type is not None]
    return [child for child in _own(node) if isinstance(child, ast.expr)]


def _own(node: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.withitem):
            yield from ast.iter_child_nodes(child)
        else:
            yield child


def list_expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """Every expression in the statement's own part, outermost first."""
    for part in list_headers(node):
        for inner in ast.walk(part):
            if isinstance(inner, ast.expr):
                yield inner


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def list_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements directly inside `node`."""
    for _, value in ast.iter_fields(node):
        if not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], ast.stmt):
            yield value
        yield from (item.body for item in value if isinstance(item, (ast.ExceptHandler, ast.match_case)))


def all_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Those inside of the blocks, too, without docstrings; not those of functions and classes in there."""
    for block in list_blocks(node):
        yield [one for one in block if not _is_docstring(one)]
        for inner in block:
            if not isinstance(inner, SCOPES):
                yield from all_blocks(inner)


def block_of(source: SourceText, node: ast.stmt) -> list[ast.stmt]:
    """The list of statements that `node` stands in."""
    parent = source.parents[node]
    if isinstance(parent, (ast.ExceptHandler, ast.match_case)):
        parent = source.parents[parent]
    return next(block for block in list_blocks(parent) if any(one is node for one in block))
