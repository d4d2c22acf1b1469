import { describe, expect, it } from 'vitest'
import type { Stage } from '../api/tunings'
import { barsOf } from './course'

function stage(own: number, loads: number): Stage {
  return { name: 'a', file: 'a.md', own, loads, total: own + loads, share: own, files: [] }
}

describe('the bars of a course', () => {
  it('are to scale, with the limit', () => {
    const { bars, limit } = barsOf([stage(1000, 500), stage(2000, 0)], 4000)
    expect(bars.map(({ own }) => Math.round((100 * own) / limit))).toEqual([25, 50])
    expect(bars[0]?.loads).toBeCloseTo(limit / 8)
    expect(limit).toBeLessThan(100)
    expect(bars.some(({ isOver }) => isOver)).toBe(false)
  })

  it('stay inside of the chart where they are over the limit', () => {
    const { bars, limit } = barsOf([stage(6000, 3000)], 4000)
    expect(bars[0]?.isOver).toBe(true)
    expect((bars[0]?.own ?? 0) + (bars[0]?.loads ?? 0)).toBeLessThan(100)
    expect(limit).toBeLessThan(bars[0]?.own ?? 0)
  })

  it('are none without a course', () => {
    expect(barsOf([]).bars).toEqual([])
  })
})
