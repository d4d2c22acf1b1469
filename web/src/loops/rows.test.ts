import { describe, expect, it } from 'vitest'
import type { BriefLoop } from '../api/types'
import { appended, changed, isUnclear, type Rows } from './rows'

const ALL = { status: 'all', search: '', project: undefined } as const

function row(loop_id: string, change: Partial<BriefLoop> = {}): BriefLoop {
  return { loop_id, project: 'p', title: loop_id, status: 'paused', rev: 1, ...change } as BriefLoop
}

function rows(...loops: BriefLoop[]): Rows {
  return { loops, total: loops.length }
}

function ids({ loops }: Rows): string[] {
  return loops.map(({ loop_id }) => loop_id)
}

describe('a change', () => {
  const known = rows(row('a'), row('b'), row('c'))

  it('brings its row to the top', () => {
    expect(ids(changed(known, { loop_id: 'c', loop: row('c', { rev: 2 }) }, ALL))).toEqual(['c', 'a', 'b'])
  })

  it('brings a new row, and counts it', () => {
    const after = changed(known, { loop_id: 'd', loop: row('d') }, ALL)
    expect([ids(after), after.total]).toEqual([['d', 'a', 'b', 'c'], 4])
  })

  it('takes away what is gone, or no longer belongs', () => {
    expect(ids(changed(known, { loop_id: 'b', loop: null }, ALL))).toEqual(['a', 'c'])
    expect(ids(changed(known, { loop_id: 'b', loop: row('b', { rev: 2 }) }, { ...ALL, status: 'failed' }))).toEqual([
      'a',
      'c',
    ])
    expect(changed(known, { loop_id: 'x', loop: row('x', { project: 'q' }) }, { ...ALL, project: 'p' })).toBe(known)
  })

  it('that is older than the row changes nothing', () => {
    const later = rows(row('a', { rev: 5 }))
    expect(changed(later, { loop_id: 'a', loop: row('a', { rev: 4 }) }, ALL)).toBe(later)
  })

  it('lets loops that run together keep their places', () => {
    const running = rows(row('a', { status: 'running' }), row('b', { status: 'running' }), row('c'))
    const after = changed(running, { loop_id: 'b', loop: row('b', { status: 'running', rev: 2 }) }, ALL)
    expect(ids(after)).toEqual(['a', 'b', 'c'])
    expect(after.loops[1]?.rev).toBe(2)
  })

  it('leaves it to the server whether a new row has the words', () => {
    const search = { ...ALL, search: 'x' }
    expect(changed(known, { loop_id: 'd', loop: row('d') }, search)).toBe(known)
    expect(isUnclear(known, { loop_id: 'd', loop: row('d') }, search)).toBe(true)
    expect(isUnclear(known, { loop_id: 'a', loop: row('a') }, search)).toBe(false)
  })
})

it('more rows come once each', () => {
  expect(ids(appended(rows(row('a'), row('b')), [row('b'), row('c')], 9))).toEqual(['a', 'b', 'c'])
})
