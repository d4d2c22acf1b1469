// A graph, drawn: its nodes are a list for whoever does not see it; lines are drawn behind them.
import type { JSX, Ref } from 'preact'
import { curvePath, type GraphLayout, type Link, type Size } from './graph'
import { Scroll } from './panels'

interface GraphSheetProps<Node extends { id: string }> {
  class: string
  label: string
  layout: GraphLayout
  nodes: readonly Node[]
  /** Of each node. */
  size: Size
  lookOf: (link: Link) => string
  box?: Ref<HTMLElement>
  children: (node: Node) => JSX.Element
}

export function GraphSheet<Node extends { id: string }>(props: GraphSheetProps<Node>) {
  const { class: look, label, layout, nodes, size, lookOf, box, children } = props
  const { width, height, places, links } = layout
  return (
    <Scroll class={look} label={label} {...(box && { box })}>
      <div class="graph-sheet" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {links.map((link) => (
            <path key={`${link.from} ${link.to}`} d={curvePath(link.points)} class={lookOf(link)} />
          ))}
        </svg>
        <ol>
          {nodes.map((node) => (
            <li
              key={node.id}
              style={{
                left: `${places.get(node.id)?.x ?? 0}px`,
                top: `${places.get(node.id)?.y ?? 0}px`,
                width: `${size.width}px`,
                height: `${size.height}px`,
              }}
            >
              {children(node)}
            </li>
          ))}
        </ol>
      </div>
    </Scroll>
  )
}
