import { expect, it } from 'vitest'
import { firstWords, readRunForm } from './form'

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

it('only what was filled in is sent', () => {
  expect(
    readRunForm(form({ description: ' Mend it \nsoon', mode: 'auto', agent: '', max_cost: '1.5', test_command: ' ' })),
  ).toEqual({
    body: { title: 'Mend it', description: 'Mend it \nsoon', mode: 'auto', max_cost: 1.5 },
    errors: {},
  })
})

it('names the fields that are wrong', () => {
  expect(readRunForm(form({ description: '  ', max_minutes: 'ten', max_tokens: 'Infinity' })).errors).toEqual({
    description: 'create.task_missing',
    max_minutes: 'create.number',
    max_tokens: 'create.number',
  })
})

it('a title is cut between words', () => {
  expect(firstWords('short\nmore')).toBe('short')
  const cut = firstWords(`${'word '.repeat(30)}`)
  expect(cut.length).toBeLessThanOrEqual(100)
  expect(cut.endsWith('word…')).toBe(true)
  expect(firstWords('x'.repeat(300))).toHaveLength(100)
})
