import { describe, expect, it } from 'vitest'
import { curvePath, type GraphNode, layOutGraph, levelsOf } from './graph'

const NODE = { width: 200, height: 60 }

function task(id: string, ...depends_on: string[]): GraphNode {
  return { id, depends_on }
}

/** Every pair of tasks that would be drawn over each other. */
function overlaps(tasks: readonly GraphNode[]): string[] {
  const { places } = layOutGraph(tasks, NODE)
  const all = [...places]
  return all.flatMap(([id, a], n) =>
    all
      .slice(n + 1)
      .filter(([, b]) => Math.abs(a.x - b.x) < NODE.width && Math.abs(a.y - b.y) < NODE.height)
      .map(([other]) => `${id} ${other}`),
  )
}

/** As a plan may be: some chains, some that wait for many, some alone. */
function plan(count: number, seed: number): GraphNode[] {
  let state = seed
  const chance = () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
  return Array.from({ length: count }, (_, n) => {
    const needed = Array.from({ length: Math.floor(chance() * 3) }, () => Math.floor(chance() * n))
    return task(`T${n}`, ...new Set(n ? needed.map((one) => `T${one}`) : []))
  })
}

describe('levels', () => {
  it('are the longest way from what waits for nothing', () => {
    const levels = levelsOf([task('c', 'a', 'b'), task('b', 'a'), task('a'), task('d')])
    expect(Object.fromEntries(levels)).toEqual({ a: 0, b: 1, c: 2, d: 0 })
  })

  it('of a circle, and of what the plan does not have, end', () => {
    const levels = levelsOf([task('a', 'b'), task('b', 'a'), task('c', 'x'), task('d', 'd')])
    expect(levels.get('c')).toBe(0)
    expect(levels.size).toBe(4)
    expect(layOutGraph([task('a', 'b'), task('b', 'a')], NODE).places.size).toBe(2)
  })
})

describe('a drawing', () => {
  it('of nothing is nothing, of one task is that task', () => {
    expect(layOutGraph([], NODE)).toEqual({ width: 0, height: 0, places: new Map(), links: [] })
    const one = layOutGraph([task('a')], NODE)
    expect([one.width, one.height, one.places.get('a')]).toEqual([200, 60, { x: 0, y: 0 }])
  })

  it('has what waits to the right of what it waits for', () => {
    const tasks = plan(40, 7)
    const { places, links } = layOutGraph(tasks, NODE)
    expect(links).toHaveLength(tasks.reduce((sum, { depends_on }) => sum + depends_on.length, 0))
    for (const { from, to, points } of links) {
      expect(places.get(from)?.x).toBeLessThan(places.get(to)?.x ?? 0)
      expect(points[0]).toEqual({ x: (places.get(from)?.x ?? 0) + 200, y: (places.get(from)?.y ?? 0) + 30 })
      expect(points.at(-1)).toEqual({ x: places.get(to)?.x, y: (places.get(to)?.y ?? 0) + 30 })
    }
  })

  it.each([1, 12, 60, 200])('of %i tasks keeps them apart and inside', (count) => {
    for (const seed of [1, 2, 3]) {
      const tasks = plan(count, seed)
      const { places, width, height } = layOutGraph(tasks, NODE)
      expect(places.size).toBe(count)
      expect(overlaps(tasks)).toEqual([])
      for (const { x, y } of places.values()) {
        expect(x).toBeGreaterThanOrEqual(0)
        expect(y).toBeGreaterThanOrEqual(0)
        expect(x + NODE.width).toBeLessThanOrEqual(width)
        expect(y + NODE.height).toBeLessThanOrEqual(height + 0.001)
      }
    }
  })

  it('does not cross links that need not cross', () => {
    const { places } = layOutGraph([task('a'), task('b'), task('c', 'b'), task('d', 'a')], NODE)
    const y = (id: string) => places.get(id)?.y ?? 0
    expect(Math.sign(y('a') - y('b'))).toBe(Math.sign(y('d') - y('c')))
  })

  it('sets tasks that nothing is joined with in rows below', () => {
    const { places, width } = layOutGraph([task('a'), task('b', 'a'), ...Array.from('123456', (n) => task(n))], NODE)
    const below = [...'123456'].map((n) => places.get(n)?.y ?? 0)
    expect(Math.min(...below)).toBeGreaterThan(60)
    expect(new Set(below).size).toBe(2)
    expect(width).toBe(4 * 214 - 14)
  })
})

it('a link is a curve, and a straight line where both ends are level', () => {
  expect(
    curvePath([
      { x: 0, y: 5 },
      { x: 40, y: 5 },
    ]),
  ).toBe('M0 5L40 5')
  expect(
    curvePath([
      { x: 0, y: 5 },
      { x: 40, y: 25 },
    ]),
  ).toBe('M0 5C20 5 20 25 40 25')
})
