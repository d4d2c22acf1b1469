import { expect, it } from 'vitest'
import type { Finding } from '../api/cycles'
import { byType, linesOf, titleOf, wordsOf } from './findings'

function found(type: string, data: Record<string, unknown>): Finding {
  return { ts: '2026-01-01T00:00:00Z', agent: 'ep', type, data }
}

it('blockers come first, unknown kinds last', () => {
  const groups = byType([found('zebra', {}), found('utility', {}), found('blocker', {}), found('utility', {})])
  expect(groups.map(({ type, findings }) => [type, findings.length])).toEqual([
    ['blocker', 1],
    ['utility', 2],
    ['zebra', 1],
  ])
})

it('what names one stands on top, the rest below', () => {
  const one = found('utility', { name: 'slug', file: 'text.py', used_in: ['a', 'b'], empty: '', none: null })
  expect(titleOf(one)).toBe('slug')
  expect(linesOf(one)).toEqual([
    ['file', 'text.py'],
    ['used in', 'a, b'],
  ])
  expect(titleOf(found('tech_stack', { language: 'Go' }))).toBe('')
})

it('any data can be shown and searched', () => {
  const odd = found('odd', { a: { b: [1, { c: 2 }] }, d: true, e: [[1]] })
  expect(linesOf(odd)).toEqual([
    ['a', 'b: [1,{"c":2}]'],
    ['d', 'true'],
    ['e', '[[1]]'],
  ])
  expect(wordsOf(found('utility', { name: 'Slug' }))).toContain('slug')
})
