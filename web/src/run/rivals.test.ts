// What the state tells of a patch and its rivals.
import { expect, test } from 'vitest'
import type { Hypothesis } from '../api/details'
import type { Comparison } from './rivals'
import { differenceOf, patchesOf, standingOf } from './rivals'

const counts = { tried: 156, passing: 21, compared: 20, inputs: 96, differing: 12, elsewhere: 0 }
const rival = {
  id: 'rival-1',
  place: 'a.py:f:3',
  description: 'two',
  fingerprint: 'b',
  file: 'a.py',
  diff: 'd',
  alike: 1,
}
const comparison: Comparison = {
  ...counts,
  gives: { 'f(0)': 'gives 0', 'f(1)': 'gives 1' },
  rivals: [{ ...rival, gives: { 'f(0)': 'gives 0', 'f(1)': 'raises KeyError' } }],
}

type Evidence = NonNullable<Hypothesis['evidence']>

function cause(evidence: Evidence | null, status: Hypothesis['status'] = 'confirmed'): Hypothesis {
  const criteria = { confirm: '', reject: '' }
  return {
    id: 'H1',
    description: '',
    testable_condition: '',
    logging_point: 'a.py:f:3',
    evidence_criteria: criteria,
    likelihood: 1,
    status,
    evidence,
  }
}

const applied = { edit: 'one', after: 'c0ffee', validated: true, comparison } as unknown as Evidence

test('a patch that stands is told with what tells its rivals apart', () => {
  const [patch] = patchesOf([cause(null), cause({ edit: 'x' }), cause(applied)])
  expect(patch).toMatchObject({ place: 'a.py:f:3', description: 'one' })
  const other = patch?.comparison.rivals?.[0]
  expect(other && differenceOf(comparison, other)).toEqual({ call: 'f(1)', patch: 'gives 1', rival: 'raises KeyError' })
})

test('a patch that validation refuted does not stand; one that only the tests leave open does', () => {
  expect(patchesOf([cause({ ...applied, validated: false }, 'inconclusive')])).toEqual([])
  expect(patchesOf([cause({ ...applied, validated: null }, 'inconclusive')])).toHaveLength(1)
})

test.each([
  [{ passing: 1, compared: 0, differing: 0 }, 'only'],
  [{ passing: 21, compared: 20, differing: 0 }, 'alike'],
  [{ passing: 21, compared: 8, differing: 0 }, 'alike_some'],
  [{ passing: 21, compared: 0, differing: 0 }, 'plausible_uncompared'],
  [{ passing: 21, compared: 20, differing: 12 }, 'plausible'],
])('%j is %s', (found, standing) => {
  expect(standingOf({ ...comparison, ...found })).toBe(standing)
})
