"""A skill as a graph that people look at, and what a model that follows it has to read on its way. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from loopwright.skills.catalogue import CatalogueTool, catalogue_of
from loopwright.skills.reader.model import Call, FilePosition, Phase, Skill

NodeKind = Literal["file", "phase", "agent", "tool", "artefact"]
EdgeKind = Literal["loads", "next", "spawns", "reads", "writes", "uses"]
KINDS: tuple[NodeKind, ...] = ("file", "phase", "artefact", "agent", "tool")
"""In the order in which nodes are kept where there are too many."""
NODES, EDGES = 120, 400
"""At most that many are drawn."""
LONGEST = 120
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """`file` and `line`: where it is, or is first named. `tokens`: of a file's text or a phase's, None for others."""

    id: str
    kind: NodeKind
    name: str
    file: str
    line: int = 1
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """`next` leads from a phase to the one behind it; `source` and `target` are ids of nodes."""

    source: str
    target: str
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class ReadingStage:
    """One step on the worst path: a model that forgets nothing, and reads all that it is told to read.

    `own`: tokens of the step's text, `loads` of the files it leads to that were not read before; `total`: all that was
    read up to its end. The first one is SKILL.md; a phase that is a part of it has no tokens of its own, but `share`
    of them.
    """

    name: str
    file: str
    own: int
    loads: int
    total: int
    share: int
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """`truncated`: there is more than is drawn. `worst`: tokens at the end of `course`."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    course: tuple[ReadingStage, ...]
    worst: int
    truncated: bool


@dataclass(slots=True)
class _Sketch:
    nodes: dict[str, GraphNode] = field(default_factory=dict)
    edges: dict[tuple[str, str, EdgeKind], None] = field(default_factory=dict)

    def node(self, kind: NodeKind, name: str, at: FilePosition) -> str:
        key = f"{kind}:{name}"
        if key not in self.nodes:
            self.nodes[key] = GraphNode(key, kind, name[:LONGEST], at.file, at.line)
        return key

    def edge(self, source: str, target: str, kind: EdgeKind) -> None:
        if source != target and source in self.nodes and target in self.nodes:
            self.edges[(source, target, kind)] = None


def draw_graph(skill: Skill) -> SkillGraph:
    """The graph, cut where it is too large for a picture, and the worst path through its phases."""
    sketch = _Sketch()
    for node in (*_files(skill), *_parts(skill)):
        sketch.nodes[node.id] = node
    places = _Places(skill)
    for reference in skill.references:
        if reference.resolved is not None and reference.at.use == "instruction":
            sketch.edge(places.node(reference.at), f"file:{reference.resolved}", "loads")
    ids = [f"file:{skill.main}", *(_id(phase) for phase in sorted(skill.phases, key=lambda one: one.order))]
    for before, after in pairwise(ids):
        if (before, after, "loads") not in sketch.edges:
            sketch.edge(before, after, "next")
    _work(skill, sketch, places)
    course = tuple(_course(skill))
    nodes = sorted(sketch.nodes.values(), key=lambda node: KINDS.index(node.kind))[:NODES]
    kept = {node.id for node in nodes}
    edges = [GraphEdge(*key) for key in sketch.edges if key[0] in kept and key[1] in kept]
    return SkillGraph(
        nodes=tuple(nodes),
        edges=tuple(edges[:EDGES]),
        course=course,
        worst=course[-1].total if course else 0,
        truncated=len(nodes) < len(sketch.nodes) or len(edges) > EDGES,
    )


def _files(skill: Skill) -> Iterator[GraphNode]:
    """SKILL.md first, then the phases in their order: what is cut is what matters least."""
    steps = {phase.file: phase for phase in skill.phases if phase.section < 0}
    for path in sorted(skill.pages, key=lambda path: (path != skill.main, path not in steps, path)):
        page = skill.pages[path]
        yield GraphNode(f"file:{path}", "phase" if path in steps else "file", path[:LONGEST], path, 1, page.tokens)


def _parts(skill: Skill) -> Iterator[GraphNode]:
    for phase in skill.phases:
        if phase.section >= 0:
            line = skill.pages[phase.file].line(phase.start)
            yield GraphNode(_id(phase), "phase", phase.name[:LONGEST], phase.file, line, phase.tokens)


def _id(phase: Phase) -> str:
    return f"file:{phase.file}" if phase.section < 0 else f"phase:{phase.order}:{phase.name}"


class _Places:
    """Which node a place in a file belongs to: its phase where that is a part of SKILL.md, else its file."""

    def __init__(self, skill: Skill) -> None:
        self._parts = {(phase.file, phase.name): _id(phase) for phase in skill.phases if phase.section >= 0}

    def node(self, at: FilePosition) -> str:
        return self._parts.get((at.file, at.phase or ""), f"file:{at.file}")


def _work(skill: Skill, sketch: _Sketch, places: _Places) -> None:
    """Tools that are called, the agents that are started, and the files of the run that are read and written."""
    catalogue = catalogue_of(skill)
    for call in skill.calls:
        tool = catalogue.tool(call.name, skill.hosts)
        if tool is None or call.at.use != "instruction":
            continue
        place = places.node(call.at)
        sketch.edge(place, sketch.node("tool", catalogue.plain(call.name), call.at), "uses")
        if tool.does == "spawn":
            role = call.argument(tool.role) if tool.role else None
            sketch.edge(place, sketch.node("agent", (role and role.literal) or call.name, call.at), "spawns")
        elif tool.does in ("read", "write") and (path := _file_of(tool, call)) and path not in skill.files:
            file = sketch.node("artefact", path, call.at)
            if tool.does == "write":
                sketch.edge(place, file, "writes")
            else:
                sketch.edge(file, place, "reads")


def _file_of(tool: CatalogueTool, call: Call) -> str | None:
    """What stands for its first parameter, by name or by position."""
    first = tool.parameters[0] if tool.parameters else ""
    given = call.argument(first) or next((one for one in call.arguments[:1] if one.name is None), None)
    return given.literal if given else None


def _course(skill: Skill) -> Iterator[ReadingStage]:
    """Each file counts where it is read first: what a model has read, it keeps."""
    main = skill.pages.get(skill.main)
    if main is None:
        return
    steps = sorted(skill.phases, key=lambda one: one.order)
    names = {phase.name for phase in steps if phase.section >= 0}
    own = {phase.file for phase in steps} | {skill.main}
    seen = {skill.main}
    loads = _new(skill, _named(skill, skill.main, None, names), seen, own)
    total = main.tokens + _tokens(skill, loads)
    yield ReadingStage(skill.main, skill.main, main.tokens, _tokens(skill, loads), total, main.tokens, loads)
    for phase in steps:
        part = phase.section >= 0
        page = skill.pages.get(phase.file)
        fresh = page is not None and phase.file not in seen
        cost = page.tokens if page is not None and fresh else 0
        seen.add(phase.file)
        loads = _new(skill, _named(skill, phase.file, phase.name if part else None, set()), seen, own)
        total += cost + _tokens(skill, loads)
        yield ReadingStage(phase.name[:LONGEST], phase.file, cost, _tokens(skill, loads), total, phase.tokens, loads)


def _named(skill: Skill, file: str, part: str | None, others: set[str]) -> Iterator[str]:
    """Files that the model is told to read there; in one part of the file alone, or in all but its `others`."""
    for reference in skill.references:
        at = reference.at
        if at.file != file or not reference.loads or reference.resolved is None or at.use != "instruction":
            continue
        if (at.phase == part) if part is not None else (at.phase not in others):
            yield reference.resolved


def _new(skill: Skill, begin: Iterable[str], seen: set[str], steps: set[str]) -> tuple[str, ...]:
    """Those of these files, and of the files they lead to, that are not read yet and are no steps of their own."""
    found: list[str] = []
    waiting = list(begin)
    while waiting:
        path = waiting.pop(0)
        if path in seen or path in steps or path not in skill.pages:
            continue
        seen.add(path)
        found.append(path)
        waiting += _named(skill, path, None, set())
    return tuple(found)


def _tokens(skill: Skill, files: Iterable[str]) -> int:
    return sum(skill.pages[file].tokens for file in files)
