// The skill as a graph: what leads to what; one part of it, chosen, shows what it is joined with.
import { useMemo, useState } from 'preact/hooks'
import type { EdgeKind, NodeKind, SkillEdge, SkillGraph, SkillNode } from '../api/tunings'
import { GraphSheet } from '../run/GraphSheet'
import { layOutGraph } from '../run/graph'
import { Loaded } from '../run/Loaded'
import { Fact } from '../run/panels'
import { number } from '../ui/format'
import { t } from './i18n'
import type { Section } from './parts'
import { KINDS, neighboursOf, nodesToLayOut, visibleGraph } from './shown'

const SIZE = { width: 184, height: 44 }
/** Tools are many, and nearly everything uses them: they come when they are asked for. */
const AT_FIRST: readonly NodeKind[] = KINDS.filter((kind) => kind !== 'tool')

export function Graph({ resources }: Section) {
  return <Loaded of={resources.parts.graph}>{(graph) => <Shown graph={graph} />}</Loaded>
}

function Shown({ graph }: { graph: SkillGraph }) {
  const [kinds, setKinds] = useState<ReadonlySet<NodeKind>>(new Set(AT_FIRST))
  const [picked, setPicked] = useState<string | null>(null)
  const { nodes, edges } = useMemo(() => visibleGraph(graph, kinds), [graph, kinds])
  const toggle = (kind: NodeKind) => {
    const next = new Set(kinds)
    if (!next.delete(kind)) next.add(kind)
    setKinds(next)
  }
  const node = graph.nodes.find(({ id }) => id === picked)
  return (
    <div class="stack">
      <fieldset class="choices kinds" aria-label={t('graph.shown')}>
        {KINDS.map((kind) => (
          <button key={kind} type="button" aria-pressed={kinds.has(kind)} onClick={() => toggle(kind)}>
            <i class={`kind kind-${kind}`} aria-hidden="true" />
            {t(`kind.${kind}`)}
            <span class="count">{graph.nodes.filter((node) => node.kind === kind).length}</span>
          </button>
        ))}
      </fieldset>
      {graph.truncated && <p class="notice tone-warn small">{t('graph.truncated')}</p>}
      {nodes.length === 0 ? (
        <p class="empty">{t('graph.empty')}</p>
      ) : (
        <div class="graph-parts">
          <Sheet nodes={nodes} edges={edges} picked={picked} onPick={setPicked} />
          <aside class="card node-card" aria-live="polite">
            {node ? <OneNode graph={graph} node={node} onPick={setPicked} /> : <p class="muted">{t('graph.pick')}</p>}
          </aside>
        </div>
      )}
    </div>
  )
}

interface SheetProps {
  nodes: readonly SkillNode[]
  edges: readonly SkillEdge[]
  picked: string | null
  onPick: (id: string) => void
}

function Sheet({ nodes, edges, picked, onPick }: SheetProps) {
  const layout = useMemo(() => layOutGraph(nodesToLayOut(nodes, edges), SIZE), [nodes, edges])
  const near = neighboursOf(edges, picked)
  const kinds = new Map(edges.map(({ source, target, kind }) => [`${source}\n${target}`, kind]))
  const kindOf = (from: string, to: string) => kinds.get(`${from}\n${to}`) ?? kinds.get(`${to}\n${from}`)
  return (
    <GraphSheet
      class="card graph skill-graph"
      label={t('graph.label')}
      layout={layout}
      nodes={nodes}
      size={SIZE}
      lookOf={({ from, to }) => `edge-${kindOf(from, to)}${from === picked || to === picked ? ' picked' : ''}`}
    >
      {(node) => (
        <button
          type="button"
          class={`part kind-${node.kind}${picked !== null && !near.has(node.id) ? ' faint' : ''}`}
          aria-pressed={node.id === picked}
          title={node.name}
          onClick={() => onPick(node.id)}
        >
          <span class="part-name">{shortName(node.name)}</span>
          <span class="part-kind">
            {t(`kind.one.${node.kind}`)}
            {node.tokens !== null && ` · ${number(node.tokens)}`}
          </span>
        </button>
      )}
    </GraphSheet>
  )
}

const EDGES: readonly EdgeKind[] = ['next', 'loads', 'spawns', 'reads', 'writes', 'uses']

function OneNode({ graph, node, onPick }: { graph: SkillGraph; node: SkillNode; onPick: (id: string) => void }) {
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]))
  const groups = EDGES.flatMap((kind) => [
    {
      key: `edge.${kind}` as const,
      ids: graph.edges.filter((edge) => edge.kind === kind && edge.source === node.id).map(({ target }) => target),
    },
    {
      key: `edge.back.${kind}` as const,
      ids: graph.edges.filter((edge) => edge.kind === kind && edge.target === node.id).map(({ source }) => source),
    },
  ]).filter(({ ids }) => ids.length > 0)
  return (
    <>
      <h3 class="mono">{node.name}</h3>
      <p class="muted small">
        {t(`kind.one.${node.kind}`)}
        {node.tokens !== null && ` · ${t('graph.tokens', { n: number(node.tokens) })}`}
      </p>
      <dl class="facts wide">
        {node.name !== node.file && (
          <Fact name={t('graph.first')} class="mono small">
            {node.file}:{node.line}
          </Fact>
        )}
        {groups.map(({ key, ids }) => (
          <Fact key={key} name={t(key)}>
            {ids.map((id) => (
              <button key={id} type="button" class="jump mono small" onClick={() => onPick(id)}>
                {names.get(id)}
              </button>
            ))}
          </Fact>
        ))}
      </dl>
    </>
  )
}

/** The end of a path says most of it. */
function shortName(name: string): string {
  const parts = name.split('/')
  return name.length > 21 && parts.length > 1 ? `…/${parts.at(-1)}` : name
}
