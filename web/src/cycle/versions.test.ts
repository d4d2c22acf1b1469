import { expect, it } from 'vitest'
import { before, chosenOf, detailOf, readable, versionOf } from './versions'

it.each([
  ['ra/requirements.md', 'ra/requirements.md', null, null],
  ['ra/requirements.md@1.1.0', 'ra/requirements.md', '1.1.0', null],
  ['ra/requirements.md@1.1.0~1.0.0', 'ra/requirements.md', '1.1.0', '1.0.0'],
  ['plan.json~1.0.0', 'plan.json', null, '1.0.0'],
])('%s is what was chosen, both ways', (detail, name, version, against) => {
  expect(chosenOf(detail)).toEqual({ name, version, against })
  expect(detailOf({ name, version, against })).toBe(detail)
})

it('knows the version before', () => {
  expect([versionOf(1), versionOf(3)]).toEqual(['1.0.0', '1.2.0'])
  expect(before(['1.0.0', '1.2.0'], '1.2.0')).toBe('1.0.0')
  expect(before(['1.0.0'], '1.0.0')).toBeNull()
  expect(before([], '1.0.0')).toBeNull()
})

it('sets JSON out, and leaves the rest as it is', () => {
  expect(readable('plan.json', '{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(readable('plan.json', '{"a":')).toBe('{"a":')
  expect(readable('notes.md', '{"a":1}')).toBe('{"a":1}')
})
