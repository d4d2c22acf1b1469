import { describe, expect, it } from 'vitest'
import { limitsOf, offered, type Standing, standing } from './possible'

const BUDGET = { max_minutes: null, max_tokens: null, max_cost: null, spent_seconds: 0, tokens: null, cost: null }
type Given = Parameters<typeof limitsOf>[0]

function loop(change: object = {}, budget: object = {}): Given & Parameters<typeof standing>[0] {
  return {
    status: 'running',
    current_iteration: 0,
    max_iterations: 10,
    engine: { parked: null, budget: { ...BUDGET, ...budget } },
    ...change,
  } as never
}

describe('what is offered', () => {
  const deletable: readonly Standing[] = ['created', 'paused', 'parked', 'user_exit', 'completed', 'failed']
  const stoppable: readonly Standing[] = ['created', 'running', 'orphaned', 'paused', 'parked', 'user_exit']

  it.each([...new Set([...deletable, ...stoppable])])(
    '%s: deleted only at rest, stopped only before its end, and nothing twice',
    (how) => {
      const all = [...offered(how).first, ...offered(how).rest]
      expect(all.includes('delete')).toBe(deletable.includes(how))
      expect(all.includes('stop')).toBe(stoppable.includes(how))
      expect(new Set(all).size).toBe(all.length)
    },
  )

  it('a running loop without a runner can be taken up again', () => {
    expect(standing(loop(), true)).toBe('running')
    expect(standing(loop(), false)).toBe('orphaned')
    expect(offered('orphaned').first[0]).toBe('take_up')
  })

  it('a parked loop can be kept paused', () => {
    const parked = loop({ status: 'paused', engine: { parked: { until: '', reason: '' }, budget: BUDGET } })
    expect(offered(standing(parked, false)).first).toContain('keep_paused')
  })
})

describe('limits', () => {
  it('a used up limit is proposed higher, the others as they are', () => {
    const used = limitsOf(
      loop({ current_iteration: 10 }, { max_minutes: 30, spent_seconds: 600, max_cost: 1, cost: 1.2 }),
    )
    expect(used.map(({ name, proposed }) => [name, proposed])).toEqual([
      ['max_iterations', 20],
      ['max_minutes', 30],
      ['max_tokens', null],
      ['max_cost', 2.41],
    ])
  })
})
