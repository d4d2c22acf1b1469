// The tasks of a loop as the board shows them, and what a new order does to them. Pure.
import type { DevelopTask, Loop, LoopTask, TaskStatus } from '../api/types'

export interface Card {
  id: string
  description: string
  tool: string
  mode: LoopTask['mode']
  status: TaskStatus
  files: readonly string[]
  /** What shall be done, for those that can still be changed. */
  task: LoopTask | null
}

export const COLUMNS: readonly TaskStatus[] = ['pending', 'in_progress', 'completed', 'failed']

/** In their order; `order` names those that somebody has just moved, before the server has said so. */
export function cardsOf(loop: Pick<Loop, 'engine' | 'skill_state'>, order: readonly string[] | null = null): Card[] {
  const progress = new Map(loop.skill_state?.develop.tasks.map((task) => [task.id, task]))
  const planned = loop.engine.tasks.toSorted((a, b) => a.order - b.order)
  const listed = planned.map((task) => cardOf(task, progress.get(task.task_id), loop.engine.retry))
  const known = new Set(planned.map((task) => task.task_id))
  const others = [...progress.values()].filter((task) => !known.has(task.id))
  const all = [...listed, ...others.map(unplannedCard)]
  if (order === null) return all
  const place = new Map(order.map((id, n) => [id, n]))
  return all.toSorted((a, b) => (place.get(a.id) ?? all.length) - (place.get(b.id) ?? all.length))
}

/** Every task's id once the card at `from` of the pending ones stands at `to` among them; the others keep their places. */
export function moveCard(all: readonly Card[], from: number, to: number): string[] {
  const ours = all.filter(({ task }) => task !== null)
  const pending = ours.filter(({ status }) => status === 'pending')
  const [card] = pending.splice(from, 1)
  if (card) pending.splice(to, 0, card)
  return ours.map(({ id, status }) => (status === 'pending' ? (pending.shift()?.id ?? id) : id))
}

function cardOf(task: LoopTask, progress: DevelopTask | undefined, retry: readonly string[]): Card {
  const status = retry.includes(task.task_id) ? 'pending' : (progress?.status ?? 'pending')
  const { description, tool, mode } = task
  return { id: task.task_id, description, tool, mode, status, files: progress?.files_changed ?? [], task }
}

/** A task that only the runner knows: from a file of an earlier version. */
function unplannedCard({ id, description, tool, mode, status, files_changed }: DevelopTask): Card {
  return { id, description, tool, mode, status, files: files_changed, task: null }
}
