// What a person can do with a loop, by its status: the one table behind every button. Pure.
import type { EngineState, Loop, Status } from '../api/types'

export type Deed =
  | 'start'
  | 'pause'
  | 'pause_now'
  | 'keep_paused'
  | 'resume'
  | 'take_up'
  | 'reopen'
  | 'stop'
  | 'recover'
  | 'delete'

/** How a loop is, as far as the table needs to know. */
export type Standing = Status | 'parked' | 'orphaned'

export interface Offer<Some extends string> {
  /** The first one is what most people want; it stands out. */
  first: readonly Some[]
  /** Behind "more". */
  rest: readonly Some[]
}

const OFFERS: Record<Standing, Offer<Deed>> = {
  created: { first: ['start'], rest: ['stop', 'recover', 'delete'] },
  running: { first: ['pause', 'pause_now', 'stop'], rest: [] },
  orphaned: { first: ['take_up', 'pause', 'stop'], rest: ['recover'] },
  paused: { first: ['resume', 'stop'], rest: ['recover', 'delete'] },
  parked: { first: ['resume', 'keep_paused', 'stop'], rest: ['recover', 'delete'] },
  user_exit: { first: ['resume', 'stop'], rest: ['recover', 'delete'] },
  completed: { first: ['reopen'], rest: ['recover', 'delete'] },
  failed: { first: ['reopen'], rest: ['recover', 'delete'] },
}

export function standing(loop: Pick<Loop, 'status' | 'engine'>, live: boolean): Standing {
  if (loop.status === 'paused' && loop.engine.parked) return 'parked'
  return loop.status === 'running' && !live ? 'orphaned' : loop.status
}

export function offered(how: Standing): Offer<Deed> {
  return OFFERS[how]
}

/** A limit that is used up, or that a person may want to raise before it goes on. */
export interface Used {
  name: 'max_iterations' | 'max_minutes' | 'max_tokens' | 'max_cost'
  used: number
  limit: number | null
  isReached: boolean
  /** What would do, where it is used up; else the limit as it is. */
  proposed: number | null
}

/** Of a loop or a cycle. */
export interface Limited {
  current_iteration: number
  max_iterations: number
  engine: Pick<EngineState, 'budget'>
}

export function limitsOf(of: Limited): Used[] {
  const { budget } = of.engine
  const rows = [
    ['max_iterations', of.current_iteration, of.max_iterations],
    ['max_minutes', budget.spent_seconds / 60, budget.max_minutes ?? null],
    ['max_tokens', budget.tokens ?? 0, budget.max_tokens ?? null],
    ['max_cost', budget.cost ?? 0, budget.max_cost ?? null],
  ] as const
  return rows.map(([name, used, limit]) => {
    const isReached = limit !== null && used >= limit
    return { name, used, limit, isReached, proposed: isReached ? enough(name, used) : limit }
  })
}

/** As the command line proposes it: ten iterations more, or twice what was spent. */
function enough(name: Used['name'], used: number): number {
  if (name === 'max_iterations') return used + 10
  return name === 'max_cost' ? Math.round(200 * used + 1) / 100 : Math.max(1, Math.round(2 * used))
}
