// How much of each limit is used, and what would be enough. Pure.
import type { Budget, EngineState } from '../api/types'

export type BudgetName = 'minutes' | 'tokens' | 'cost'

/** `limit` null: none is set; `spent` null: nobody told. */
export interface Spent {
  name: BudgetName
  spent: number | null
  limit: number | null
}

/** Of what nobody told anything, and nothing limits, there is nothing to say. */
export function spentOf(budget: Budget): Spent[] {
  const all: Spent[] = [
    { name: 'minutes', spent: budget.spent_seconds / 60, limit: budget.max_minutes ?? null },
    { name: 'tokens', spent: budget.tokens ?? null, limit: budget.max_tokens ?? null },
    { name: 'cost', spent: budget.cost ?? null, limit: budget.max_cost ?? null },
  ]
  return all.filter(({ spent, limit }) => spent !== null || limit !== null)
}

/** 0 to 100. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, Math.max(0, (100 * part) / whole)) : 0
}

/** A limit that is used up, or that a person may want to raise before it goes on. */
export interface RunLimit {
  name: 'max_iterations' | 'max_minutes' | 'max_tokens' | 'max_cost'
  used: number
  limit: number | null
  isReached: boolean
  /** What would do, where it is used up; else the limit as it is. */
  proposed: number | null
}

/** A loop or a cycle. */
export interface LimitedRun {
  current_iteration: number
  max_iterations: number
  engine: Pick<EngineState, 'budget'>
}

export function limitsOf(of: LimitedRun): RunLimit[] {
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
function enough(name: RunLimit['name'], used: number): number {
  if (name === 'max_iterations') return used + 10
  return name === 'max_cost' ? Math.round(200 * used + 1) / 100 : Math.max(1, Math.round(2 * used))
}
