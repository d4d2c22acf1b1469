import { describe, expect, it } from 'vitest'
import { filesOf } from './diff'
import { unified } from './unified'

/** What the view would show of it: both texts, put together again from the diff of a text without far parts. */
function both(diff: string): [string[], string[]] {
  const lines = filesOf(diff)[0]?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const of = (kind: 'added' | 'removed') => lines.filter((l) => l.kind !== kind).map(({ text }) => text)
  return [of('added'), of('removed')]
}

describe('a unified diff', () => {
  it('of the same text is empty', () => {
    expect(unified('a', 'x\ny', 'x\ny')).toBe('')
    expect(unified('a', 'x\n', 'x')).toBe('')
  })

  it('takes as few lines as there have to be', () => {
    const [file] = filesOf(unified('plan.json', 'a\nb\nc\nd\n', 'a\nc\nd\ne\n'))
    expect([file?.path, file?.added, file?.removed]).toEqual(['plan.json', 1, 1])
  })

  it('numbers lines as they are in each text', () => {
    const before = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`)
    const after = before.with(9, 'ten').toSpliced(30, 0, 'new')
    const [file] = filesOf(unified('x', before.join('\n'), after.join('\n')))
    expect(file?.hunks).toHaveLength(2)
    const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? []
    expect(lines.find(({ text }) => text === 'ten')).toMatchObject({ kind: 'added', now: 10 })
    expect(lines.find(({ text }) => text === 'line 10')).toMatchObject({ kind: 'removed', old: 10 })
    expect(lines.find(({ text }) => text === 'new')).toMatchObject({ kind: 'added', now: 31 })
    for (const line of lines) {
      if (line.old) expect(before[line.old - 1]).toBe(line.text)
      if (line.now) expect(after[line.now - 1]).toBe(line.text)
    }
  })

  it('of texts that begin like a diff is a diff of these', () => {
    const [file] = filesOf(unified('x', '--- a\n@@ -1 +1 @@\nsame', 'diff --git a/y b/y\n@@ -1 +1 @@\nsame'))
    expect([file?.path, file?.added, file?.removed]).toEqual(['x', 1, 1])
  })

  it.each([
    ['', 'a\nb'],
    ['a\nb', ''],
    ['a\nb\nc', 'c\nb\na'],
    ['a\n\n\nb', 'a\nb\n\n\n'],
    ['x', 'y'],
  ])('of %j and %j holds both', (before, after) => {
    const split = (text: string) =>
      text
        .replace(/\n$/, '')
        .split('\n')
        .filter((_, __, all) => all.join('') !== '')
    expect(both(unified('x', before, after))).toEqual([split(before), split(after)])
  })

  it('holds short texts whole, whatever they are', () => {
    let state = 42
    const chance = (most: number) => {
      state = (state * 1103515245 + 12345) % 2147483648
      return Math.floor((state / 2147483648) * most)
    }
    for (let round = 0; round < 200; round++) {
      const text = () => Array.from({ length: 1 + chance(4) }, () => 'abc'[chance(3)] ?? 'a')
      const [before, after] = [text(), text()]
      if (before.join() === after.join()) continue
      expect(both(unified('x', before.join('\n'), after.join('\n')))).toEqual([before, after])
    }
  })

  it('of long texts without anything in common comes soon', () => {
    const long = (word: string) => Array.from({ length: 9000 }, (_, n) => `${word} ${n}`).join('\n')
    const begun = performance.now()
    expect(filesOf(unified('x', long('a'), long('b')))[0]?.added).toBe(9000)
    expect(performance.now() - begun).toBeLessThan(3000)
  })
})
