import { expect, it } from 'vitest'
import { limitsOf, spentOf } from './limits'

const BUDGET = { max_minutes: 30, max_tokens: null, max_cost: 1, spent_seconds: 600, tokens: null, cost: 1.2 }

it('a used up limit is proposed higher, the others as they are', () => {
  const used = limitsOf({ current_iteration: 10, max_iterations: 10, engine: { budget: BUDGET } })
  expect(used.map(({ name, proposed }) => [name, proposed])).toEqual([
    ['max_iterations', 20],
    ['max_minutes', 30],
    ['max_tokens', null],
    ['max_cost', 2.41],
  ])
})

it('what nobody told was spent is not nothing, and is left out where nothing limits it', () => {
  expect(spentOf({ spent_seconds: 90, max_minutes: 3, max_tokens: 1000 })).toEqual([
    { name: 'minutes', spent: 1.5, limit: 3 },
    { name: 'tokens', spent: null, limit: 1000 },
  ])
})
