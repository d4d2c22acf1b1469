// The small pure parts of the page: steps, tests, evidence, charts, marked spans, what becomes old.
import { expect, test } from 'vitest'
import type { Step, TestResult, Validation } from '../api/details'
import { type DiffLine, spansOf } from '../run/diff'
import { isKnown, seriesOf } from '../run/series'
import { runnerOf } from '../run/standing'
import { durationOf, toneOf, widthsOf } from '../run/steps'
import { factsOf } from './evidence'
import { partsAfter } from './stale'
import { countsOf, filterTests, groupBySuite } from './tests'

const step = (result: string | null, seconds = 1): Step => ({
  seq: 1,
  iteration: 1,
  action: 'VALIDATE',
  task: null,
  started_at: '2026-01-01T00:00:00Z',
  ended_at: result === null ? null : new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
  result,
  reasons: [],
  files: [],
  tokens: null,
  cost: null,
  checkpoint: null,
})

test.each([
  ['pass', 'good'],
  ['fix applied: x', 'good'],
  ['fail', 'bad'],
  ['20 tests, 4 failing', 'neutral'],
  ['passable', 'neutral'],
  [null, 'running'],
])('a step that ended with %j looks %s', (result, tone) => {
  expect(toneOf(step(result))).toBe(tone)
})

test('shares add up to all, and the shortest can still be seen', () => {
  const widths = widthsOf([step('pass', 0), step('pass', 1), step('pass', 3000)], 0)
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100)
  expect(Math.min(...widths)).toBeGreaterThan(2)
})

test('a step under way lasts until now, and never less than nothing', () => {
  expect(durationOf(step(null), Date.UTC(2026, 0, 1, 0, 1))).toBe(60_000)
  expect(durationOf(step(null), 0)).toBe(0)
})

const result = (test_name: string, status: TestResult['status'], suite = 'a', error_message = ''): TestResult => ({
  test_name,
  status,
  suite,
  error_message,
  duration_ms: 1,
})
const RESULTS = [
  result('one', 'passed'),
  result('two', 'skipped'),
  result('three', 'failed', 'b', 'Boom'),
  result('four', 'failed'),
]

test('failing tests come first, and are found by what they say', () => {
  expect(filterTests(RESULTS, '', 'all').map((one) => one.test_name)).toEqual(['three', 'four', 'two', 'one'])
  expect(filterTests(RESULTS, ' boom ', 'all').map((one) => one.test_name)).toEqual(['three'])
  expect(filterTests(RESULTS, 'boom', 'passed')).toEqual([])
  expect(countsOf(RESULTS)).toEqual({ all: 4, passed: 1, failed: 2, skipped: 1 })
  expect(groupBySuite(filterTests(RESULTS, '', 'all')).map(({ name, tests }) => [name, tests.length])).toEqual([
    ['b', 1],
    ['a', 3],
  ])
})

test('evidence is flattened to rows; what is empty is left out', () => {
  const facts = factsOf({
    file: 'a.py',
    line: 69,
    none: null,
    empty: [],
    kinds_tried: { call: 4 },
    values: [{ x: 'f(1)' }, 'y'],
  })
  expect(facts).toEqual([
    { name: 'file', value: 'a.py', isCode: false },
    { name: 'line', value: '69', isCode: false },
    { name: 'kinds tried › call', value: '4', isCode: false },
    { name: 'values 1 › x', value: 'f(1)', isCode: true },
    { name: 'values 2', value: 'y', isCode: false },
  ])
})

test('evidence without end is cut', () => {
  const deep = {
    a: { b: { c: { d: 1 } } },
    long: 'x'.repeat(9999),
    many: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n, n])),
  }
  const facts = factsOf(deep)
  expect(facts.length).toBeLessThanOrEqual(60)
  expect(facts[0]?.value).toBe('{"d":1}')
  expect(Math.max(...facts.map(({ value }) => value.length))).toBeLessThanOrEqual(2000)
})

const run = (total: number | null, failed: number | null, coverage: number | null): Validation => ({
  seq: 1,
  at: '',
  iteration: 1,
  passed: failed === 0,
  total,
  failed,
  skipped: total === null ? null : 1,
  pass_rate: null,
  coverage,
  reasons: [],
})

test('validations become columns; what was not counted stays open', () => {
  const series = seriesOf([run(10, 2, null), run(null, null, null)])
  expect(series).toMatchObject({ runs: [1, 2], passed: [7, null], failed: [2, null] })
  expect(isKnown(series.coverage)).toBe(false)
  expect(isKnown(series.passed)).toBe(true)
})

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text, old: null, now: null })

test('the part of a line that changed is marked, on both sides', () => {
  const [old, now] = [line('removed', 'return self.balance'), line('added', 'return self.collected')]
  const spans = spansOf([line('same', 'x'), old, now])
  expect(old.text.slice(...(spans.get(old) ?? []))).toBe('balance')
  expect(now.text.slice(...(spans.get(now) ?? []))).toBe('collected')
})

test('lines that have nothing in common, or no other to stand for, are not marked', () => {
  expect(spansOf([line('removed', 'abc'), line('added', 'xyz')]).size).toBe(0)
  expect(spansOf([line('removed', 'abc'), line('added', 'abd'), line('added', 'abe')]).size).toBe(0)
})

test('an entry nobody knows makes everything old, one that only the state tells of nothing else', () => {
  expect(partsAfter('something new')).toBeNull()
  expect(partsAfter('permission_asked')).toEqual([])
  expect(partsAfter('paused')).toEqual(['plan'])
})

test.each([
  ['running', true, 99_000, 'live'],
  ['running', false, 2_000, 'starting'],
  ['running', false, 99_000, 'lost'],
  ['paused', true, 0, 'live'],
  ['completed', false, 99_000, 'none'],
] as const)('a loop that is %s, live: %s, quiet for %d ms: %s', (status, isLive, quiet, runner) => {
  expect(runnerOf(status, isLive, quiet)).toBe(runner)
})
