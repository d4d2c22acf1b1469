import { describe, expect, it } from 'vitest'
import { excerptLines, isAsFound, linesOf } from './excerpt'

const TEXT = 'one\r\n  two words\nthree\n\nfive'

describe('an excerpt', () => {
  it('has the lines around, with what is meant marked', () => {
    const lines = excerptLines(linesOf(TEXT), { line: 2, line_end: 2, column: 3, column_end: 6 }, 1)
    expect(lines).toEqual([
      { number: 1, text: 'one', marked: null },
      { number: 2, text: '  two words', marked: [2, 5] },
      { number: 3, text: 'three', marked: null },
    ])
  })

  it('marks each line of several from where its words begin', () => {
    const lines = excerptLines(linesOf(TEXT), { line: 1, line_end: 5, column: 2, column_end: 3 }, 0)
    expect(lines.map(({ marked }) => marked)).toEqual([[1, 3], [2, 11], [0, 5], null, [0, 2]])
  })

  it('ends where the file does, and is never endless', () => {
    expect(excerptLines(linesOf('only'), { line: 9, line_end: 9, column: 1, column_end: 2 })).toEqual([])
    const long = Array.from({ length: 5000 }, String)
    expect(excerptLines(long, { line: 1, line_end: 5000, column: 1, column_end: 1 }).length).toBeLessThan(100)
  })

  it('counts only line feeds as ends of lines, as the server does', () => {
    expect(linesOf('a\rb\nc\r\n')).toEqual(['a\rb', 'c', ''])
  })
})

describe('whether a line is as it was found', () => {
  const lines = linesOf(TEXT)
  it.each([
    [2, 'two words', true],
    [2, '…wo word…', true],
    [3, 'two words', false],
    [99, 'two words', false],
  ])('line %i with %s: %s', (line, said, is) => {
    expect(isAsFound(lines, line, said)).toBe(is)
  })
})
