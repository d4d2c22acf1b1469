// How much of each limit is used. Pure.
import type { Budget } from '../api/types'

export type Limit = 'minutes' | 'tokens' | 'cost'

/** `limit` null: none is set; `spent` null: nobody told. */
export interface Used {
  name: Limit
  spent: number | null
  limit: number | null
}

/** Of what nobody told anything, and nothing limits, there is nothing to say. */
export function usedOf(budget: Budget): Used[] {
  const all: Used[] = [
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
