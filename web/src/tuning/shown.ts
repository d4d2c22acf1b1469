// Which part of a skill's graph is on the screen. Pure.
import type { NodeKind, SkillEdge, SkillGraph, SkillNode } from '../api/tunings'
import type { GraphNode } from '../run/graph'

export const KINDS: readonly NodeKind[] = ['phase', 'file', 'artefact', 'agent', 'tool']

/**
 * Nodes of these kinds, and what joins two of them: once for each pair. That SKILL.md names each phase goes without a
 * line where the phases follow each other.
 */
export function visibleGraph({ nodes, edges }: SkillGraph, kinds: ReadonlySet<NodeKind>) {
  const shown = nodes.filter(({ kind }) => kinds.has(kind))
  const ids = new Set(shown.map(({ id }) => id))
  const following = new Set(edges.filter(({ kind }) => kind === 'next').map(({ target }) => target))
  const main = nodes[0]?.id
  const pairs = new Map<string, SkillEdge>()
  for (const edge of edges) {
    if (edge.kind === 'loads' && edge.source === main && following.has(edge.target) && kinds.has('phase')) continue
    const key = `${edge.source}\n${edge.target}`
    if (ids.has(edge.source) && ids.has(edge.target) && !pairs.has(key)) pairs.set(key, edge)
  }
  return { nodes: shown, edges: [...pairs.values()] }
}

/** The node itself, and all that it is joined with. */
export function neighboursOf(edges: readonly SkillEdge[], id: string | null): ReadonlySet<string> {
  const near = edges.filter(({ source, target }) => source === id || target === id)
  return new Set(near.flatMap(({ source, target }) => [source, target]).concat(id ?? []))
}

/** For drawing: what each node stands behind. An edge that leads back is turned round, else circles have no beginning. */
export function nodesToLayOut(nodes: readonly SkillNode[], edges: readonly SkillEdge[]): GraphNode[] {
  const before = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  const after = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  for (const { source, target } of edges) after.get(source)?.push(target)
  const state = new Map<string, 'open' | 'done'>()
  const visit = (id: string) => {
    state.set(id, 'open')
    for (const next of after.get(id) ?? []) {
      if (state.get(next) === 'open') before.get(id)?.push(next)
      else {
        before.get(next)?.push(id)
        if (!state.has(next)) visit(next)
      }
    }
    state.set(id, 'done')
  }
  for (const { id } of nodes) if (!state.has(id)) visit(id)
  return nodes.map(({ id }) => ({ id, depends_on: before.get(id) ?? [] }))
}
