import { describe, expect, it, test } from 'vitest'
import { countChanges, countLines, diffTexts, type FileDiff, firstLines, parseDiff } from './diff'

const CHANGED = `diff --git a/cinema/desk.py b/cinema/desk.py
index 7f7be1c..79a7b7e 100644
--- a/cinema/desk.py
+++ b/cinema/desk.py
@@ -98,3 +98,4 @@ class Desk:
 kept
-old
+new
+more
 end
@@ -200 +201 @@
-a
+b
`

test('lines are numbered on the side where they are', () => {
  const [file] = parseDiff(CHANGED)
  expect(file).toMatchObject({ path: 'cinema/desk.py', change: 'changed', added: 3, removed: 2, binary: false })
  expect(file?.hunks[0]).toMatchObject({ at: '98 → 98', place: 'class Desk:' })
  expect(file?.hunks[0]?.lines.map(({ old, now, text }) => [old, now, text])).toEqual([
    [98, 98, 'kept'],
    [99, null, 'old'],
    [null, 99, 'new'],
    [null, 100, 'more'],
    [100, 101, 'end'],
  ])
  expect(countChanges(parseDiff(CHANGED + CHANGED))).toEqual({ added: 6, removed: 4 })
})

test('lines that look like a header are lines while a hunk is open', () => {
  const diff =
    'diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ x\n @@ -1 +1 @@\n'
  const [file, ...more] = parseDiff(diff)
  expect(more).toEqual([])
  expect(file?.hunks[0]?.lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['removed', '-- a comment'],
    ['added', '++ x'],
    ['same', '@@ -1 +1 @@'],
  ])
})

test.each([
  [
    'new file mode 100644\n--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1 @@\n+a\n',
    { path: 'x.txt', change: 'created', added: 1 },
  ],
  ['deleted file mode 100644\n--- a/x.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', { path: 'x.txt', change: 'deleted' }],
  [
    'similarity index 90%\nrename from a b.txt\nrename to c d.txt\n',
    { path: 'c d.txt', from: 'a b.txt', change: 'renamed' },
  ],
  ['index 1..2 100644\nBinary files a/x.txt and b/x.txt differ\n', { path: 'x.txt', binary: true }],
  ['old mode 100644\nnew mode 100755\n', { path: 'x.txt', mode: '100755', hunks: [] }],
])('headers: %s', (rest, expected) => {
  expect(parseDiff(`diff --git a/x.txt b/x.txt\n${rest}`)).toMatchObject([expected])
})

test('quoted names are unquoted, byte by byte', () => {
  const diff = 'diff --git "a/na\\303\\257ve \\"q\\".txt" "b/na\\303\\257ve \\"q\\".txt"\nnew file mode 100644\n'
  expect(parseDiff(diff)[0]?.path).toBe('naïve "q".txt')
})

test('a missing end of the last line is a remark, and what was cut off is shown up to there', () => {
  const diff =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -9,5 +9,5 @@\n c\n+d'
  const [file] = parseDiff(diff)
  expect(file?.hunks[0]?.lines.at(-1)).toMatchObject({ kind: 'remark', text: 'No newline at end of file' })
  expect(file?.hunks[1]?.lines).toHaveLength(2)
})

test('cutting keeps the first lines over all hunks', () => {
  const hunks = parseDiff(CHANGED)[0]?.hunks ?? []
  const kept = firstLines(hunks, 6)
  expect(kept.map(({ lines }) => lines.length)).toEqual([5, 1])
  expect(firstLines(hunks, 5)).toHaveLength(1)
  expect(countLines(parseDiff(CHANGED)[0] as never)).toBe(7)
})

test.each(['', 'no diff at all', '@@ -1 +1 @@\n+x', 'diff --git '])('what is no diff has no lines: %j', (text) => {
  expect(countChanges(parseDiff(text))).toEqual({ added: 0, removed: 0 })
})

test('a diff without the header of git is one, too', () => {
  const [file] = parseDiff('--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n')
  expect(file).toMatchObject({ path: 'x.py', change: 'changed', added: 1, removed: 1 })
})

test.each([
  ['diff --git a/x b/x\n--- a/x\n', 'x'],
  ['diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1', 'x'],
])('a header that was cut off names its file: %j', (diff, path) => {
  expect(parseDiff(diff)).toMatchObject([{ path, hunks: [] }])
})

test('what cannot be read hides no other file', () => {
  const broken = 'diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n?\n'
  expect(parseDiff(broken + CHANGED).map(({ path }) => path)).toContain('cinema/desk.py')
})

/** What the view would show of it: both texts, put together again from a diff without far parts. */
function both(file: FileDiff | null): [string[], string[]] {
  const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const of = (kind: 'added' | 'removed') => lines.filter((l) => l.kind !== kind).map(({ text }) => text)
  return [of('added'), of('removed')]
}

describe('what differs between two texts', () => {
  it('is nothing for the same text', () => {
    expect(diffTexts('a', 'x\ny', 'x\ny')).toBeNull()
    expect(diffTexts('a', 'x\n', 'x')).toBeNull()
  })

  it('takes as few lines as there have to be', () => {
    const file = diffTexts('plan.json', 'a\nb\nc\nd\n', 'a\nc\nd\ne\n')
    expect([file?.path, file?.added, file?.removed]).toEqual(['plan.json', 1, 1])
  })

  it('numbers lines as they are in each text', () => {
    const before = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`)
    const after = before.with(9, 'ten').toSpliced(30, 0, 'new')
    const file = diffTexts('x', before.join('\n'), after.join('\n'))
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
    const file = diffTexts('x', '--- a\n@@ -1 +1 @@\nsame', 'diff --git a/y b/y\n@@ -1 +1 @@\nsame')
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
    expect(both(diffTexts('x', before, after))).toEqual([split(before), split(after)])
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
      expect(both(diffTexts('x', before.join('\n'), after.join('\n')))).toEqual([before, after])
    }
  })

  it('of long texts without anything in common comes soon', () => {
    const long = (word: string) => Array.from({ length: 9000 }, (_, n) => `${word} ${n}`).join('\n')
    const begun = performance.now()
    expect(diffTexts('x', long('a'), long('b'))?.added).toBe(9000)
    expect(performance.now() - begun).toBeLessThan(3000)
  })
})
