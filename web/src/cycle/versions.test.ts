import { expect, it } from 'vitest'
import { formatChoice, formatJson, parseChoice, previousVersion, versionOf } from './versions'

it.each([
  ['ra/requirements.md', 'ra/requirements.md', null, null],
  ['ra/requirements.md@1.1.0', 'ra/requirements.md', '1.1.0', null],
  ['ra/requirements.md@1.1.0~1.0.0', 'ra/requirements.md', '1.1.0', '1.0.0'],
  ['plan.json~1.0.0', 'plan.json', null, '1.0.0'],
])('%s is what was chosen, both ways', (detail, name, version, against) => {
  expect(parseChoice(detail)).toEqual({ name, version, against })
  expect(formatChoice({ name, version, against })).toBe(detail)
})

it('knows the version before', () => {
  expect([versionOf(1), versionOf(3)]).toEqual(['1.0.0', '1.2.0'])
  expect(previousVersion(['1.0.0', '1.2.0'], '1.2.0')).toBe('1.0.0')
  expect(previousVersion(['1.0.0'], '1.0.0')).toBeNull()
  expect(previousVersion([], '1.0.0')).toBeNull()
})

it('sets JSON out, and leaves the rest as it is', () => {
  expect(formatJson('plan.json', '{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(formatJson('plan.json', '{"a":')).toBe('{"a":')
  expect(formatJson('notes.md', '{"a":1}')).toBe('{"a":1}')
})
