import { describe, expect, it } from 'vitest'
import { appendRows, applyChange, isUnclear, type Row, type Rows } from './rows'

const ALL = { status: 'all', search: '', project: undefined } as const

function row(id: string, change: Partial<Row> = {}): Row {
  return { id, project: 'p', status: 'paused', rev: 1, ...change }
}

function rows(...all: Row[]): Rows<Row> {
  return { all, total: all.length }
}

function ids({ all }: Rows<Row>): string[] {
  return all.map(({ id }) => id)
}

describe('a change', () => {
  const known = rows(row('a'), row('b'), row('c'))

  it('brings its row to the top', () => {
    expect(ids(applyChange(known, { id: 'c', row: row('c', { rev: 2 }) }, ALL))).toEqual(['c', 'a', 'b'])
  })

  it('brings a new row, and counts it', () => {
    const after = applyChange(known, { id: 'd', row: row('d') }, ALL)
    expect([ids(after), after.total]).toEqual([['d', 'a', 'b', 'c'], 4])
  })

  it('takes away what is gone, or no longer belongs', () => {
    expect(ids(applyChange(known, { id: 'b', row: null }, ALL))).toEqual(['a', 'c'])
    expect(ids(applyChange(known, { id: 'b', row: row('b', { rev: 2 }) }, { ...ALL, status: 'failed' }))).toEqual([
      'a',
      'c',
    ])
    expect(applyChange(known, { id: 'x', row: row('x', { project: 'q' }) }, { ...ALL, project: 'p' })).toBe(known)
  })

  it('that is older than the row changes nothing', () => {
    const later = rows(row('a', { rev: 5 }))
    expect(applyChange(later, { id: 'a', row: row('a', { rev: 4 }) }, ALL)).toBe(later)
  })

  it('lets what runs together keep its place', () => {
    const running = rows(row('a', { status: 'running' }), row('b', { status: 'running' }), row('c'))
    const after = applyChange(running, { id: 'b', row: row('b', { status: 'running', rev: 2 }) }, ALL)
    expect(ids(after)).toEqual(['a', 'b', 'c'])
    expect(after.all[1]?.rev).toBe(2)
  })

  it('leaves it to the server whether a new row has the words', () => {
    const search = { ...ALL, search: 'x' }
    expect(applyChange(known, { id: 'd', row: row('d') }, search)).toBe(known)
    expect(isUnclear(known, { id: 'd', row: row('d') }, search)).toBe(true)
    expect(isUnclear(known, { id: 'a', row: row('a') }, search)).toBe(false)
  })
})

it('more rows come once each', () => {
  expect(ids(appendRows(rows(row('a'), row('b')), [row('b'), row('c')], 9))).toEqual(['a', 'b', 'c'])
})
