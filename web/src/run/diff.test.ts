import { expect, test } from 'vitest'
import { cut, filesOf, lineCount, totals } from './diff'

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
  const [file] = filesOf(CHANGED)
  expect(file).toMatchObject({ path: 'cinema/desk.py', change: 'changed', added: 3, removed: 2, binary: false })
  expect(file?.hunks[0]).toMatchObject({ at: '98 → 98', place: 'class Desk:' })
  expect(file?.hunks[0]?.lines.map(({ old, now, text }) => [old, now, text])).toEqual([
    [98, 98, 'kept'],
    [99, null, 'old'],
    [null, 99, 'new'],
    [null, 100, 'more'],
    [100, 101, 'end'],
  ])
  expect(totals(filesOf(CHANGED + CHANGED))).toEqual({ added: 6, removed: 4 })
})

test('lines that look like a header are lines while a hunk is open', () => {
  const diff =
    'diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ x\n @@ -1 +1 @@\n'
  const [file, ...more] = filesOf(diff)
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
  expect(filesOf(`diff --git a/x.txt b/x.txt\n${rest}`)).toMatchObject([expected])
})

test('quoted names are unquoted, byte by byte', () => {
  const diff = 'diff --git "a/na\\303\\257ve \\"q\\".txt" "b/na\\303\\257ve \\"q\\".txt"\nnew file mode 100644\n'
  expect(filesOf(diff)[0]?.path).toBe('naïve "q".txt')
})

test('a missing end of the last line is a remark, and what was cut off is shown up to there', () => {
  const diff =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -9,5 +9,5 @@\n c\n+d'
  const [file] = filesOf(diff)
  expect(file?.hunks[0]?.lines.at(-1)).toMatchObject({ kind: 'remark', text: 'No newline at end of file' })
  expect(file?.hunks[1]?.lines).toHaveLength(2)
})

test('cutting keeps the first lines over all hunks', () => {
  const hunks = filesOf(CHANGED)[0]?.hunks ?? []
  const kept = cut(hunks, 6)
  expect(kept.map(({ lines }) => lines.length)).toEqual([5, 1])
  expect(cut(hunks, 5)).toHaveLength(1)
  expect(lineCount(filesOf(CHANGED)[0] as never)).toBe(7)
})

test.each(['', 'no diff at all', '@@ -1 +1 @@\n+x', 'diff --git '])('what is no diff has no lines: %j', (text) => {
  expect(totals(filesOf(text))).toEqual({ added: 0, removed: 0 })
})
