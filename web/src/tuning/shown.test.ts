import { describe, expect, it } from 'vitest'
import type { EdgeKind, NodeKind, SkillGraph } from '../api/tunings'
import { neighboursOf, nodesToLayOut, visibleGraph } from './shown'

const GRAPH: SkillGraph = {
  nodes: (['a file', 'b phase', 'c tool', 'd phase'] as const).map((words) => {
    const [id = '', kind = ''] = words.split(' ')
    return { id, kind: kind as NodeKind, name: id, file: id, line: 1, tokens: null }
  }),
  edges: (['a b loads', 'b a loads', 'b c uses', 'a d loads', 'b d next'] as const).map((words) => {
    const [source = '', target = '', kind = ''] = words.split(' ')
    return { source, target, kind: kind as EdgeKind }
  }),
  course: [],
  worst: 0,
  truncated: false,
}

describe('what is shown of a graph', () => {
  it('is one edge for each pair, and none to what is hidden', () => {
    const { nodes, edges } = visibleGraph(GRAPH, new Set(['file', 'phase']))
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
    expect(edges.map(({ source, target, kind }) => `${source}${target} ${kind}`)).toEqual([
      'ab loads',
      'ba loads',
      'bd next',
    ])
    expect(visibleGraph(GRAPH, new Set()).nodes).toEqual([])
  })

  it('is near to what it is joined with', () => {
    expect([...neighboursOf(GRAPH.edges, 'c')].sort()).toEqual(['b', 'c'])
    expect([...neighboursOf([], 'c')]).toEqual(['c'])
    expect([...neighboursOf(GRAPH.edges, null)]).toEqual([])
  })

  it('begins where the skill does, also where something leads back', () => {
    const { nodes, edges } = visibleGraph(GRAPH, new Set(['file', 'phase', 'tool']))
    expect(nodesToLayOut(nodes, edges)).toEqual([
      { id: 'a', depends_on: [] },
      { id: 'b', depends_on: ['a', 'a'] },
      { id: 'c', depends_on: ['b'] },
      { id: 'd', depends_on: ['b'] },
    ])
  })
})
