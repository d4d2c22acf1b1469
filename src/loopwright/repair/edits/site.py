"""A statement under suspicion, and the small language in which families say what to change there."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..pool import EditVocabulary, NameScope
from ..source import Function, SourceText, block_of, list_expressions

_LOOSE = (
    ast.Return,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.keyword,
    ast.If,
    ast.While,
    ast.Assert,
    ast.Tuple,
    ast.List,
    ast.Set,
)
"""Parents in which any expression stands without parentheses."""


LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
"""What nothing behind it in the same block is reached after."""


@dataclass(frozen=True)
class Edit:
    """Puts `text` in place of the characters from `start` to `end`. A lower `cost` is tried sooner."""

    start: int
    end: int
    text: str
    cost: float
    what: str


@dataclass
class EditSite:
    """One statement with its surroundings."""

    source: SourceText
    stmt: ast.stmt
    scope: NameScope
    pool: EditVocabulary

    @cached_property
    def nodes(self) -> list[ast.expr]:
        """The expressions of the statement's own part, outermost first, as far as their places in the text are true."""
        return [node for node in list_expressions(self.stmt) if self._is_placed(node)]

    def _is_placed(self, node: ast.expr) -> bool:
        """Inside f-strings, Python before 3.12 gives the parts wrong places."""
        if not any(isinstance(above, ast.JoinedStr) for above in self.source.ancestors(node)):
            return True
        try:
            return ast.dump(ast.parse(self.text(node), mode="eval").body) == ast.dump(node)
        except SyntaxError:
            return False

    @cached_property
    def near(self) -> list[str]:
        """Local names: those that the statement reads, those that the loops around it set, then the others."""
        read = [node.id for node in self.nodes if isinstance(node, ast.Name) and self.loads(node)]
        loops = [above for above in self.source.ancestors(self.stmt) if isinstance(above, (ast.For, ast.AsyncFor))]
        turns = [one.id for loop in loops for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
        known = self.scope.locals
        return [name for name in dict.fromkeys([*read, *turns, *known]) if name in known]

    @cached_property
    def owner(self) -> ast.ClassDef | None:
        return self.source.owner(self.stmt)

    @property
    def func(self) -> Function | None:
        return self.scope.function

    @cached_property
    def block(self) -> list[ast.stmt]:
        return block_of(self.source, self.stmt)

    @cached_property
    def index(self) -> int:
        """Where it stands in its block."""
        return next(n for n, one in enumerate(self.block) if one is self.stmt)

    @property
    def indent(self) -> str:
        return self.source.indent(self.stmt.lineno)

    @cached_property
    def alone(self) -> bool:
        """Whether the statement shares its lines with no other, so that whole lines can be moved."""
        before = self.source.lines[self.stmt.lineno - 1].encode()[: self.stmt.col_offset]
        return not before.strip() and not any(
            one is not self.stmt and one.lineno <= (self.stmt.end_lineno or 0) and one.lineno >= self.stmt.lineno
            for one in self.block
        )

    def text(self, node: ast.AST) -> str:
        return self.source.segment(node)

    def loads(self, node: ast.expr) -> bool:
        """Whether the expression is read here (not an assignment's target)."""
        return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)

    def swap(self, node: ast.expr, text: str, cost: float, what: str = "") -> Edit:
        """Another expression in place of `node`, in parentheses where the surroundings need them."""
        start, end = self.source.span(node)
        enclosed = self.source.text[start - 1 : start] == "(" and self.source.text[end : end + 1] == ")"
        if not enclosed and not self._fits(node, text):
            text = f"({text})"
        return Edit(start, end, text, cost, what or f"use `{text}` instead of `{_brief(self.text(node))}`")

    def _fits(self, node: ast.expr, text: str) -> bool:
        parent = self.source.parents[node]
        if isinstance(parent, _LOOSE) or (isinstance(parent, ast.Call) and node is not parent.func):
            return True
        if isinstance(parent, ast.comprehension) and node in parent.ifs:
            return " if " not in text and "lambda" not in text
        if isinstance(parent, (ast.Subscript, ast.FormattedValue)) and node is not parent.value:
            return True
        try:
            tight = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:  # spread over lines, which only parentheses hold together
            return False
        if isinstance(tight, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Dict, ast.Set)):
            return True
        if isinstance(tight, ast.Tuple):
            call = ast.parse(f"f({text})", mode="eval").body
            return not (isinstance(call, ast.Call) and len(call.args) != 1)  # it has parentheses of its own
        if isinstance(parent, ast.Lambda):
            return not isinstance(tight, ast.NamedExpr)
        if isinstance(tight, ast.Constant):
            return not isinstance(parent, ast.Attribute) or isinstance(tight.value, str)
        return isinstance(parent, ast.Compare) and isinstance(tight, ast.BinOp)

    def swaps(self, node: ast.expr, texts: Iterable[str], cost: float, step: float = 0.0) -> Iterator[Edit]:
        """Each of these texts in place of `node`, a later one for more, but for what stands there already."""
        old = self.text(node)
        for n, text in enumerate(texts):
            if text != old:
                yield self.swap(node, text, cost + step * n)

    def append_argument(self, call: ast.Call, text: str, cost: float, what: str = "") -> Edit:
        """One more at the end of a call."""
        end = self.source.span(call)[1] - 1
        joint = ", " if call.args or call.keywords else ""
        return Edit(end, end, joint + text, cost, what or f"pass `{text}`")

    def is_called(self, node: ast.expr) -> bool:
        parent = self.source.parents[node]
        return isinstance(parent, ast.Call) and parent.func is node

    def gap(self, left: ast.AST, right: ast.AST) -> tuple[int, int]:
        """Offsets of the text between two neighbours."""
        return self.source.span(left)[1], self.source.span(right)[0]

    def exchange(self, left: ast.AST, right: ast.AST, cost: float) -> Edit:
        """The two change places; what stands between them stays."""
        (a, b), (c, d) = self.source.span(left), self.source.span(right)
        text = self.source.text
        what = f"exchange `{_brief(text[a:b])}` and `{_brief(text[c:d])}`"
        return Edit(a, d, text[c:d] + text[b:c] + text[a:b], cost, what)

    def before(self, lines: list[str], cost: float) -> Edit:
        """New lines in front of the statement, at its indentation."""
        start = self.source.line_span(self.stmt.lineno, self.stmt.lineno)[0]
        return Edit(start, start, self._indented(lines, self.indent), cost, f"add `{' '.join(lines)}` before it")

    def after(self, lines: list[str], cost: float) -> Edit:
        """New lines behind the statement, at its indentation."""
        return self.behind(self.stmt, self.indent, lines, cost, f"add `{' '.join(lines)}` after it")

    def behind(self, stmt: ast.stmt, indent: str, lines: list[str], cost: float, what: str) -> Edit:
        """New lines behind any statement, also behind one that ends the file without a line's end."""
        last = stmt.end_lineno or stmt.lineno
        end = self.source.line_span(last, last)[1]
        start = "" if self.source.text[:end].endswith(("\n", "\r")) else self.source.newline
        return Edit(end, end, start + self._indented(lines, indent), cost, what)

    def rewritten(self, changes: Sequence[tuple[int, int, str]], cost: float, what: str) -> Edit:
        """Several changes at once: (start, end, text), in the order of the text."""
        text, at = "", changes[0][0]
        for start, end, new in changes:
            text, at = text + self.source.text[at:start] + new, end
        return Edit(changes[0][0], at, text, cost, what)

    def left_out(self, parts: Sequence[ast.AST], n: int, cost: float, what: str) -> Edit:
        """One of several that stand in a row, without it and what joins it to its neighbour."""
        start, end = self.source.span(parts[n])
        if n + 1 < len(parts):
            end = self.source.span(parts[n + 1])[0]
        elif n:
            start = self.source.span(parts[n - 1])[1]
        return Edit(start, end, "", cost, what)

    def ended(self, text: str) -> str:
        """Whole lines, also of the file's last one without a line's end."""
        return text if text.endswith(("\n", "\r")) else text + self.source.newline

    def _indented(self, lines: list[str], indent: str) -> str:
        return "".join(indent + line + self.source.newline for line in lines)


def called_name(node: ast.Call) -> str:
    """The last name of what is called; empty where it has none."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _brief(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else flat[:57] + "…"
