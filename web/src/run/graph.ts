// Where each task of a plan stands when it is drawn: a column for each level of dependency, few crossings, and what
// neither waits nor is waited for below all of it. Pure.

export interface GraphNode {
  id: string
  depends_on: readonly string[]
}

export interface Size {
  width: number
  height: number
}

/** Its upper left corner. */
export interface Place {
  x: number
  y: number
}

export interface Link {
  from: string
  to: string
  /** From the right edge of one to the left edge of the other, around what is between them. */
  points: readonly Place[]
}

export interface GraphLayout extends Size {
  places: ReadonlyMap<string, Place>
  links: readonly Link[]
}

/** Pixels. */
const GAP_X = 44
const GAP_Y = 14
/** A link that passes a level takes up as much of it. */
const PASSING = 8
/** Sweeps over the levels; more change nothing that could be seen. */
const SWEEPS = 8
/** What stands alone is set in rows of at least so many. */
const LEAST_ROW = 4

/** One place in a column: a task, or a link that passes by. */
interface Slot {
  key: string
  height: number
  before: Slot[]
  after: Slot[]
  y: number
}

export function layOutGraph(tasks: readonly GraphNode[], node: Size): GraphLayout {
  const isJoined = linkedIds(tasks)
  const levels = levelsOf(tasks)
  const graph = tasks.filter(({ id }) => isJoined.has(id))
  const { columns, chains } = placeSlots(graph, levels, node)
  orderColumns(columns)
  const height = levelColumns(columns)
  const step = node.width + GAP_X
  const columnsWidth = columns.length ? columns.length * step - GAP_X : 0
  const places = new Map<string, Place>()
  columns.forEach((column, level) => {
    for (const slot of column) if (slot.height === node.height) places.set(slot.key, { x: level * step, y: slot.y })
  })
  const alone = tasks.filter(({ id }) => !isJoined.has(id))
  const block = layOutRows(alone, node, columns.length, height)
  for (const [id, place] of block.places) places.set(id, place)
  return {
    width: Math.max(columnsWidth, block.width),
    height: block.height,
    places,
    links: chains.map(({ from, to, slots }) => ({ from, to, points: pointsOf(slots, levels.get(from) ?? 0, node) })),
  }
}

/** How many tasks have to be done one after the other before each of them. */
export function levelsOf(tasks: readonly GraphNode[]): Map<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const levels = new Map<string, number>()
  const level = (id: string, above: ReadonlySet<string>): number => {
    const known = levels.get(id)
    if (known !== undefined) return known
    const seen = new Set(above).add(id)
    // The program lets no circle into a plan; one from elsewhere must not hang the page.
    const needed = (byId.get(id)?.depends_on ?? []).filter((other) => byId.has(other) && !seen.has(other))
    const found = needed.reduce((most, other) => Math.max(most, level(other, seen) + 1), 0)
    levels.set(id, found)
    return found
  }
  for (const { id } of tasks) level(id, new Set())
  return levels
}

function linkedIds(tasks: readonly GraphNode[]): Set<string> {
  const known = new Set(tasks.map(({ id }) => id))
  const pairs = tasks.flatMap(({ id, depends_on }) =>
    depends_on.filter((other) => known.has(other) && other !== id).flatMap((other) => [id, other]),
  )
  return new Set(pairs)
}

interface Chain {
  from: string
  to: string
  slots: Slot[]
}

/** The tasks in their columns, and a slot in each column that a link passes. */
function placeSlots(tasks: readonly GraphNode[], levels: ReadonlyMap<string, number>, node: Size) {
  const columns: Slot[][] = []
  const at = (level: number): Slot[] => {
    while (columns.length <= level) columns.push([])
    return columns[level] ?? []
  }
  const slots = new Map<string, Slot>()
  for (const { id } of tasks) {
    const slot = emptySlot(id, node.height)
    slots.set(id, slot)
    at(levels.get(id) ?? 0).push(slot)
  }
  const chains: Chain[] = []
  for (const { id, depends_on } of tasks) {
    for (const other of new Set(depends_on)) {
      const from = slots.get(other)
      const to = slots.get(id)
      if (!from || !to || from === to) continue
      const chain = [from]
      for (let level = (levels.get(other) ?? 0) + 1; level < (levels.get(id) ?? 0); level++) {
        const passing = emptySlot(`${other} ${id} ${level}`, PASSING)
        at(level).push(passing)
        chain.push(passing)
      }
      chain.push(to)
      chain.slice(1).forEach((slot, n) => {
        const before = chain[n]
        if (!before) return
        before.after.push(slot)
        slot.before.push(before)
      })
      chains.push({ from: other, to: id, slots: chain })
    }
  }
  return { columns, chains }
}

function emptySlot(key: string, height: number): Slot {
  return { key, height, before: [], after: [], y: 0 }
}

/** Each column in the order of what its slots are joined with: forth and back, until few links cross. */
function orderColumns(columns: Slot[][]): void {
  const rank = new Map<Slot, number>()
  const number = (column: readonly Slot[]) => {
    for (const [n, slot] of column.entries()) rank.set(slot, n)
  }
  columns.forEach(number)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forth = sweep % 2 === 0
    for (const column of forth ? columns : columns.toReversed()) {
      const weight = new Map(
        column.map((slot) => [slot, mean(forth ? slot.before : slot.after, (one) => rank.get(one) ?? 0)]),
      )
      column.sort((a, b) => (weight.get(a) ?? rank.get(a) ?? 0) - (weight.get(b) ?? rank.get(b) ?? 0))
      number(column)
    }
  }
}

/** Gives each slot its y, near to what it is joined with; answers with the height of all. */
function levelColumns(columns: readonly Slot[][]): number {
  for (const column of columns) spreadColumn(column, () => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forth = sweep % 2 === 0
    for (const column of forth ? columns : columns.toReversed()) {
      spreadColumn(column, (slot) => {
        const middle = mean(forth ? slot.before : slot.after, (one) => one.y + one.height / 2)
        return middle === null ? slot.y : middle - slot.height / 2
      })
    }
  }
  const all = columns.flat()
  const top = Math.min(...all.map(({ y }) => y), Number.POSITIVE_INFINITY)
  for (const slot of all) slot.y -= top
  return Math.max(0, ...all.map(({ y, height }) => y + height))
}

/** The column's slots where they would like to be, as far as each leaves the others their room. */
function spreadColumn(column: readonly Slot[], wished: (slot: Slot) => number): void {
  const wishes = column.map(wished)
  let floor = Number.NEGATIVE_INFINITY
  column.forEach((slot, n) => {
    slot.y = Math.max(floor, wishes[n] ?? 0)
    floor = slot.y + slot.height + GAP_Y
  })
  // Who was pushed down pushed the others too: the whole column goes back by what it is off on average.
  const off = column.reduce((sum, slot, n) => sum + slot.y - (wishes[n] ?? 0), 0) / Math.max(1, column.length)
  for (const slot of column) slot.y -= off
}

function layOutRows(alone: readonly GraphNode[], node: Size, columns: number, top: number) {
  const perRow = Math.max(LEAST_ROW, columns)
  const begin = top > 0 ? top + 2 * GAP_Y : 0
  const places = alone.map(({ id }, n): [string, Place] => [
    id,
    { x: (n % perRow) * (node.width + GAP_Y), y: begin + Math.floor(n / perRow) * (node.height + GAP_Y) },
  ])
  const across = Math.min(perRow, alone.length)
  const rows = Math.ceil(alone.length / perRow)
  return {
    places,
    width: across ? across * (node.width + GAP_Y) - GAP_Y : 0,
    height: rows ? begin + rows * (node.height + GAP_Y) - GAP_Y : top,
  }
}

function pointsOf(slots: readonly Slot[], level: number, node: Size): Place[] {
  const step = node.width + GAP_X
  const last = slots.length - 1
  return slots.flatMap((slot, n) => {
    const x = (level + n) * step
    const y = slot.y + slot.height / 2
    const begin = { x, y }
    const end = { x: x + node.width, y }
    if (n === 0) return [end]
    return n === last ? [begin] : [begin, end]
  })
}

function mean<T>(items: readonly T[], value: (item: T) => number): number | null {
  return items.length ? items.reduce((sum, item) => sum + value(item), 0) / items.length : null
}

/** A link as the `d` of an SVG path: level where it leaves and where it arrives. */
export function curvePath(points: readonly Place[]): string {
  return points
    .map(({ x, y }, n) => {
      const before = points[n - 1]
      if (!before) return `M${x} ${y}`
      const half = (before.x + x) / 2
      return before.y === y ? `L${x} ${y}` : `C${half} ${before.y} ${half} ${y} ${x} ${y}`
    })
    .join('')
}
