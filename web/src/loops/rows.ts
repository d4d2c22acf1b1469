// The rows of the list, and what one committed change does to them. Pure.
import type { Filter } from '../api/loops'
import type { BriefLoop, EntryOfAll } from '../api/types'

export interface Rows {
  loops: readonly BriefLoop[]
  total: number
}

/** The rows after a change, latest change first. The same rows where the change is none of theirs. */
export function changed(rows: Rows, { loop_id, loop }: Pick<EntryOfAll, 'loop_id' | 'loop'>, filter: Filter): Rows {
  const at = rows.loops.findIndex((row) => row.loop_id === loop_id)
  const known = rows.loops[at]
  if (loop === null || !belongs(loop, filter)) return known ? without(rows, loop_id) : rows
  if (known === undefined && filter.search.trim() !== '') return rows
  if (known === undefined) return { loops: [loop, ...rows.loops], total: rows.total + 1 }
  if (loop.rev < known.rev) return rows
  if (keepsItsPlace(rows.loops, at, loop)) return { ...rows, loops: rows.loops.with(at, loop) }
  return { ...rows, loops: [loop, ...rows.loops.filter((row) => row.loop_id !== loop_id)] }
}

/** Whether the server has to be asked if this change brings a new row. */
export function isUnclear(
  rows: Rows,
  { loop_id, loop }: Pick<EntryOfAll, 'loop_id' | 'loop'>,
  filter: Filter,
): boolean {
  if (loop === null || filter.search.trim() === '' || !belongs(loop, filter)) return false
  return rows.loops.every((row) => row.loop_id !== loop_id)
}

/** More rows from the server below those that are there. */
export function appended(rows: Rows, more: readonly BriefLoop[], total: number): Rows {
  const known = new Set(rows.loops.map((row) => row.loop_id))
  return { loops: [...rows.loops, ...more.filter((row) => !known.has(row.loop_id))], total }
}

function without(rows: Rows, id: string): Rows {
  return { loops: rows.loops.filter((row) => row.loop_id !== id), total: rows.total - 1 }
}

/** Loops that run together change all the time: among each other they stay, so that nothing dances under the pointer. */
function keepsItsPlace(loops: readonly BriefLoop[], at: number, loop: BriefLoop): boolean {
  return loop.status === 'running' && loops.slice(0, at + 1).every((row) => row.status === 'running')
}

/** What the words that are searched for say of it, only the server knows: a known row stays, a new one is asked for. */
function belongs(loop: BriefLoop, { status, project }: Filter): boolean {
  return (status === 'all' || loop.status === status) && (project === undefined || loop.project === project)
}
