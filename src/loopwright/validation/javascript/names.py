"""Which names a piece of JavaScript declares, and what the names that it uses stand for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from loopwright.validation import sources

_USES = frozenset({"identifier", "shorthand_property_identifier"})

Binding = tuple[str, tuple[Node, ...]]
"""A name, and the nodes that say what it stands for."""


def bindings(statement: Node) -> Iterator[Binding]:
    """The names that this statement declares, each by itself: one more in an import changes no other."""
    if statement.type == "export_statement":
        for declaration in filter(None, [statement.child_by_field_name("declaration")]):
            yield from bindings(declaration)
    elif statement.type == "import_statement":
        yield from _imported(statement)
    elif statement.type in ("lexical_declaration", "variable_declaration"):
        for declarator in (child for child in statement.named_children if child.type == "variable_declarator"):
            yield from _variables(declarator)
    elif statement.type.endswith("_declaration") and (name := statement.child_by_field_name("name")) is not None:
        yield sources.text_of(name), (statement,)


def named_by(nodes: Iterable[Node], declared: Sequence[Mapping[str, Sequence[Node]]]) -> list[Node]:
    """The declarations that these nodes name, and those that they name in turn, in the order of the text."""
    found: dict[Node, None] = {}
    seen: set[str] = set()
    waiting = list(nodes)
    while waiting:
        names = {sources.text_of(part) for part in sources.walk(waiting.pop()) if part.type in _USES}
        meant = [node for name in names - seen for block in declared for node in block.get(name, ())]
        seen |= names
        found.update(dict.fromkeys(meant))
        waiting += meant
    return sorted(found, key=lambda node: node.start_byte)


def _imported(statement: Node) -> Iterator[Binding]:
    source = tuple(filter(None, [statement.child_by_field_name("source")]))
    for part in sources.walk(statement):
        if part.type == "import_specifier":
            name = part.child_by_field_name("alias") or part.child_by_field_name("name")
            yield sources.text_of(name), (part, *source)
        elif part.type == "identifier" and part.parent is not None and part.parent.type != "import_specifier":
            yield sources.text_of(part), (part, *source)


def _variables(declarator: Node) -> Iterator[Binding]:
    target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    if target is None or target.type not in ("object_pattern", "array_pattern"):
        yield sources.text_of(target), (declarator,)
        return
    for part in target.named_children:
        bound = part.child_by_field_name("value") or part.child_by_field_name("left") or part
        yield sources.text_of(bound).removeprefix("..."), (part, *filter(None, [value]))
