import { expect, test } from 'vitest'
import { type Block, EMPTY, foldNotes, LONGEST_SPEECH, MOST_BLOCKS, type Note, noteOf } from './transcript'

const note = (kind: string, text: string, more: object = {}): Note => ({
  ts: '2026-01-01T00:00:00Z',
  after: 1,
  kind,
  text,
  ...more,
})
const kinds = (blocks: readonly Block[]) => blocks.map((block) => block.kind)

test('bursts of one speech are one block, thoughts another', () => {
  const { blocks } = foldNotes(EMPTY, [
    note('said', 'Hel'),
    note('said', 'lo'),
    note('thought', 'hm'),
    note('said', '!'),
  ])
  expect(blocks.map((block) => ('text' in block ? block.text : ''))).toEqual(['Hello', 'hm', '!'])
})

test('what came before stays the same object, what grew is a new one', () => {
  const before = foldNotes(EMPTY, [note('action', 'DEBUG'), note('said', 'a')])
  const after = foldNotes(before, [note('said', 'b')])
  expect(after.blocks[0]).toBe(before.blocks[0])
  expect(after.blocks[1]).toMatchObject({ text: 'ab' })
  expect(before.blocks[1]).toMatchObject({ text: 'a' })
  expect(after.blocks[1]?.key).toBe(before.blocks[1]?.key)
})

test('a tool call is one row, however often it is told', () => {
  const call = (status: string, more: object = {}) => note('tool', '', { id: 't1', title: 'Run', status, ...more })
  const { blocks } = foldNotes(EMPTY, [
    call('pending', { command: 'ls' }),
    note('said', 'meanwhile'),
    call('completed', { title: '', output: 'a.txt', paths: ['a.txt', 7] }),
  ])
  expect(kinds(blocks)).toEqual(['tool', 'said'])
  expect(blocks[0]).toMatchObject({
    title: 'Run',
    command: 'ls',
    status: 'completed',
    output: 'a.txt',
    paths: ['a.txt'],
  })
})

test('the same id in a later step is another call', () => {
  const call = note('tool', '', { id: '1', status: 'completed' })
  expect(kinds(foldNotes(EMPTY, [call, note('action', 'VALIDATE'), call]).blocks)).toEqual(['tool', 'step', 'tool'])
})

test('a plan that is told again replaces the last one', () => {
  const { blocks } = foldNotes(EMPTY, [
    note('plan', '', { entries: [['look', 'in_progress']] }),
    note('plan', '', { entries: [['look', 'completed'], 'nonsense'] }),
  ])
  expect(blocks).toMatchObject([{ kind: 'plan', entries: [{ what: 'look', status: 'completed' }] }])
})

test('a flood is kept to its end, and what is dropped is counted', () => {
  const flood = Array.from({ length: 10_000 }, (_, n) => note(n % 2 ? 'result' : 'activity', String(n)))
  const { blocks, dropped, next } = foldNotes(EMPTY, flood)
  expect(blocks).toHaveLength(MOST_BLOCKS)
  expect(dropped).toBe(10_000 - MOST_BLOCKS)
  expect(next).toBe(10_001)
  expect(blocks.at(-1)).toMatchObject({ text: '9999', key: 10_000 })
})

test('one endless speech is cut into blocks of a length that can be drawn', () => {
  const { blocks } = foldNotes(
    EMPTY,
    Array.from({ length: 10_000 }, () => note('said', 'word ')),
  )
  expect(blocks.length).toBeGreaterThan(1)
  expect(Math.max(...blocks.map((block) => ('text' in block ? block.text.length : 0)))).toBeLessThanOrEqual(
    LONGEST_SPEECH,
  )
})

test.each([null, 7, 'x', [], {}, { ts: 1, kind: 'said' }, { ts: 'x' }])('%j is no note', (data) => {
  expect(noteOf(data)).toBeNull()
})

test('fields of other types than expected do no harm', () => {
  const strange = { id: 7, title: {}, status: 'odd', paths: 'x', command: [], output: null, entries: 5, text: 'x' }
  const all = ['tool', 'plan', 'permission', 'message', 'unheard-of'].map((kind) => note(kind, 'x', strange))
  expect(kinds(foldNotes(EMPTY, all).blocks)).toEqual(['tool', 'plan', 'permission', 'message', 'line'])
})
