// The rows of a list, and what one committed change does to them. Pure.
import type { Filter } from '../api/types'

export interface Row {
  id: string
  project: string
  status: string
  rev: number
}

export interface Rows<Brief extends Row> {
  all: readonly Brief[]
  total: number
}

/** `row` is null where it is gone. */
export interface Change<Brief extends Row> {
  id: string
  row: Brief | null
}

/** The rows after a change, latest change first. The same rows where the change is none of theirs. */
export function applyChange<Brief extends Row>(
  rows: Rows<Brief>,
  { id, row }: Change<Brief>,
  filter: Filter,
): Rows<Brief> {
  const at = rows.all.findIndex((one) => one.id === id)
  const known = rows.all[at]
  if (row === null || !isWanted(row, filter)) return known ? withoutRow(rows, id) : rows
  if (known === undefined && filter.search.trim() !== '') return rows
  if (known === undefined) return { all: [row, ...rows.all], total: rows.total + 1 }
  if (row.rev < known.rev) return rows
  if (keepsItsPlace(rows.all, at, row)) return { ...rows, all: rows.all.with(at, row) }
  return { ...rows, all: [row, ...rows.all.filter((one) => one.id !== id)] }
}

/** Whether the server has to be asked if this change brings a new row. */
export function isUnclear<Brief extends Row>(rows: Rows<Brief>, { id, row }: Change<Brief>, filter: Filter): boolean {
  if (row === null || filter.search.trim() === '' || !isWanted(row, filter)) return false
  return rows.all.every((one) => one.id !== id)
}

/** More rows from the server below those that are there. */
export function appendRows<Brief extends Row>(rows: Rows<Brief>, more: readonly Brief[], total: number): Rows<Brief> {
  const known = new Set(rows.all.map(({ id }) => id))
  return { all: [...rows.all, ...more.filter(({ id }) => !known.has(id))], total }
}

function withoutRow<Brief extends Row>(rows: Rows<Brief>, id: string): Rows<Brief> {
  return { all: rows.all.filter((row) => row.id !== id), total: rows.total - 1 }
}

/** What runs together changes all the time: among each other they stay, so that nothing dances under the pointer. */
function keepsItsPlace(all: readonly Row[], at: number, row: Row): boolean {
  return row.status === 'running' && all.slice(0, at + 1).every(({ status }) => status === 'running')
}

/** What the words that are searched for say of it, only the server knows: a known row stays, a new one is asked for. */
function isWanted(row: Row, { status, project }: Filter): boolean {
  return (status === 'all' || row.status === status) && (project === undefined || row.project === project)
}
