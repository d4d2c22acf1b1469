// Which tests are shown, and in which order. Pure.
import type { TestResult } from '../api/details'
import type { Loop } from '../api/types'

type TestStatus = TestResult['status']
export type TestChoice = TestStatus | 'all'

/** Failing first: that is what a person came for. */
const ORDER: Readonly<Record<TestStatus, number>> = { failed: 0, skipped: 1, passed: 2 }

export interface Counts {
  all: number
  passed: number
  failed: number
  skipped: number
}

interface Suite {
  name: string
  tests: TestResult[]
}

export function countsOf(tests: readonly TestResult[]): Counts {
  const counts: Counts = { all: tests.length, passed: 0, failed: 0, skipped: 0 }
  for (const test of tests) counts[test.status] += 1
  return counts
}

/** Of the last validation, whose section may hold only some of those that passed. */
export function tallyOf(loop: Loop): Counts {
  const kept = countsOf(loop.skill_state?.validate.test_results ?? [])
  const last = loop.engine.last_validation
  const skipped = last?.skipped ?? null
  if (!last || skipped === null) return kept
  return { all: last.tests, passed: last.tests - skipped - kept.failed, failed: kept.failed, skipped }
}

export function filterTests(tests: readonly TestResult[], words: string, shown: TestChoice): TestResult[] {
  const wanted = words.trim().toLowerCase()
  return tests
    .filter((test) => shown === 'all' || test.status === shown)
    .filter((test) => !wanted || textOf(test).includes(wanted))
    .toSorted((a, b) => ORDER[a.status] - ORDER[b.status])
}

/** Tests of one suite under one name; the order of what is given stays. */
export function groupBySuite(tests: readonly TestResult[]): Suite[] {
  const byName = new Map<string, TestResult[]>()
  for (const test of tests) {
    const known = byName.get(test.suite)
    if (known) known.push(test)
    else byName.set(test.suite, [test])
  }
  return [...byName].map(([name, own]) => ({ name, tests: own }))
}

function textOf(test: TestResult): string {
  return `${test.suite} ${test.test_name} ${test.error_message ?? ''}`.toLowerCase()
}
