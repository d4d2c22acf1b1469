"""What edits are built from: names in reach, conditions, constants, attributes."""

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .facts import PLAIN, FailureFacts, Literal
from .source import FUNCTIONS, Function, SourceText

_FEW = 24


@dataclass
class EditVocabulary:
    """The project's vocabulary; one for all places."""

    facts: FailureFacts
    attributes: Counter[str]
    signatures: Mapping[str, Function]
    exceptions: list[str]
    flags: list[str]
    imports: Mapping[str, list[str]]

    @classmethod
    def of(cls, sources: Iterable[SourceText], facts: FailureFacts) -> "EditVocabulary":
        nodes = [(source, node) for source in sources for node in ast.walk(source.tree)]
        used = [node.attr for _, node in nodes if isinstance(node, ast.Attribute)]
        functions = [(source, node) for source, node in nodes if isinstance(node, FUNCTIONS)]
        methods = [node.name for source, node in functions if source.owner(node) is not None]
        names = [node.id for _, node in nodes if isinstance(node, ast.Name)]
        errors = Counter(name for name in names if name.endswith(("Error", "Exception")))
        return cls(
            facts=facts,
            attributes=Counter([*used, *methods]),
            signatures={node.name: node for _, node in reversed(functions)},
            exceptions=list(dict.fromkeys([*facts.raises, *(name for name, _ in errors.most_common(8))])),
            flags=[name for name, _ in Counter(_flags(node for _, node in nodes)).most_common(8)],
            imports=_imports(node for _, node in nodes),
        )


class NameScope:
    """What can be said at one place: inside one function (or at module level) of one source."""

    def __init__(self, source: SourceText, function: Function | None) -> None:
        self.source = source
        self.function = function
        self._root: ast.AST = function or source.tree
        self._remembered: dict[tuple[str, ast.AST], list[str]] = {}

    def remembered(self, what: tuple[str, ast.AST], find: Callable[[], list[str]]) -> list[str]:
        """What was found there before, else what is found now: places of one scope ask for the same."""
        if what not in self._remembered:
            self._remembered[what] = find()
        return self._remembered[what]

    @cached_property
    def parameters(self) -> list[str]:
        if self.function is None:
            return []
        a = self.function.args
        given = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs]
        return [one.arg for one in given] + ([a.kwarg.arg] if a.kwarg else [])

    @cached_property
    def locals(self) -> list[str]:
        """Parameters without self, then every name the function assigns."""
        stored = [n.id for n in ast.walk(self._root) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return list(dict.fromkeys([*(p for p in self.parameters if p not in ("self", "cls")), *stored]))[:_FEW]

    @cached_property
    def all_globals(self) -> list[str]:
        """Names the module defines or imports, in the order of the text."""
        found: list[str] = []
        for node in self.source.tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                found.append(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found += [(alias.asname or alias.name).split(".")[0] for alias in node.names]
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                found += [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return list(dict.fromkeys(found))

    @cached_property
    def globals(self) -> list[str]:
        """The first of them."""
        return self.all_globals[:_FEW]

    @cached_property
    def kinds(self) -> list[str]:
        """What the module asks with `isinstance`, as text, the most usual first."""
        found: Counter[str] = Counter()
        for node in ast.walk(self.source.tree):
            match node:
                case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                    several = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                    found.update(self.source.segment(one) for one in several)
        return [text for text, _ in found.most_common()]

    @cached_property
    def passed(self) -> dict[str, list[str]]:
        """For the last name of each function that the module calls, the arguments that it passes by name."""
        found: dict[str, list[str]] = {}
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Call) and node.keywords:
                known = found.setdefault(self.source.segment(node.func).rsplit(".", 1)[-1], [])
                texts = [self.source.segment(word) for word in node.keywords if word.arg]
                known += [text for text in texts if text not in known and "\n" not in text]
        return found

    @cached_property
    def of_one(self) -> list[str]:
        """Functions that the module calls with one argument and whose result it uses, the most usual first."""
        found = Counter(
            self.source.segment(node.func)
            for node in ast.walk(self.source.tree)
            if isinstance(node, ast.Call)
            and len(node.args) == 1
            and not node.keywords
            and not isinstance(self.source.parents[node], ast.Expr)
        )
        known = {*self.all_globals, "self", "cls"} - {*dir(builtins)}
        return [
            name
            for name, _ in found.most_common()
            if name.replace(".", "").isidentifier() and name.split(".")[0] in known
        ]

    def attributes_of(self, holder: str) -> list[str]:
        """What the module asks of an object of this name."""
        return self._attributes.get(holder, [])

    @cached_property
    def _attributes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Attribute):
                known = found.setdefault(self.source.segment(node.value), [])
                known += [node.attr] if node.attr not in known else []
        return found

    @cached_property
    def called(self) -> set[str]:
        """What the module calls."""
        return {self.source.segment(node.func) for node in ast.walk(self.source.tree) if isinstance(node, ast.Call)}

    @cached_property
    def own_attributes(self) -> list[str]:
        """`self.x` for every x that the class's methods use."""
        owner = self.source.owner(self.function) if self.function else None
        if owner is None or "self" not in self.parameters:
            return []
        used = [
            node.attr
            for node in ast.walk(owner)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        ]
        return [f"self.{name}" for name in dict.fromkeys(used)][:_FEW]

    @cached_property
    def conditions(self) -> list[str]:
        """Conditions of the function, then of its module: whole ones and their parts."""
        found: list[str] = []
        for root in (self._root, self.source.tree):
            for node in ast.walk(root):
                if isinstance(node, (ast.If, ast.While, ast.IfExp)):
                    found += self._parts(node.test)
                elif isinstance(node, ast.comprehension):
                    found += [part for test in node.ifs for part in self._parts(test)]
        return [text for text in dict.fromkeys(found) if "\n" not in text][:_FEW]

    def _parts(self, test: ast.expr) -> list[str]:
        inner = test.values if isinstance(test, ast.BoolOp) else []
        return [self.source.segment(node) for node in [test, *inner]]

    @cached_property
    def comprehensions(self) -> list[tuple[str, str]]:
        """The module's simple comprehensions as text before and behind what they run over."""
        found = []
        for node in ast.walk(self.source.tree):
            if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) and len(node.generators) == 1:
                (start, end), (a, b) = self.source.span(node), self.source.span(node.generators[0].iter)
                found.append((self.source.text[start:a], self.source.text[b:end]))
        return list(dict.fromkeys(found))[:6]

    @cached_property
    def constants(self) -> list[Literal]:
        """Literals of the function, then of the module."""
        found: list[Literal] = []
        for root in (self._root, self.source.tree):
            for node in ast.walk(root):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, PLAIN)
                    and not any(type(one) is type(node.value) and one == node.value for one in found)
                ):
                    found.append(node.value)
        return found[: 2 * _FEW]


def _imports(nodes: Iterable[ast.AST]) -> Mapping[str, list[str]]:
    """For each name that the project imports, the lines that do so; those that say where from in full."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
            for alias in node.names:
                single = (
                    ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], 0)
                )
                lines = found.setdefault((alias.asname or alias.name).split(".")[0], [])
                lines += [line for line in (ast.unparse(single),) if line not in lines]
    return found


def _flags(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Attributes that the project asks for their truth: `x.active` in `if not x.active`."""
    for node in nodes:
        yield from (one.attr for one in _asked(node) if isinstance(one, ast.Attribute))


def _asked(node: ast.AST) -> list[ast.expr]:
    """The expressions whose truth a node asks for."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return [test]
        case ast.comprehension(ifs=tests):
            return tests
        case ast.BoolOp(values=values):
            return values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case _:
            return []
