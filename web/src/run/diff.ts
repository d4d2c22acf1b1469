// A unified diff, as git writes it, taken apart into files, hunks and numbered lines. Pure.

export type LineKind = 'same' | 'added' | 'removed' | 'remark'
export type FileChange = 'changed' | 'created' | 'deleted' | 'renamed' | 'copied'

/** `old` and `now`: its number before and after; null where it was not there. */
export interface DiffLine {
  kind: LineKind
  old: number | null
  now: number | null
  text: string
}

/** `place`: what git says behind the `@@`, mostly the function it is in. */
export interface Hunk {
  at: string
  place: string
  lines: DiffLine[]
}

/** `from`: its earlier name, where it was renamed or copied. `mode`: new permissions, where only these changed. */
export interface FileDiff {
  path: string
  from: string | null
  change: FileChange
  mode: string | null
  binary: boolean
  added: number
  removed: number
  hunks: Hunk[]
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** Lines of a file's header, by how they begin. */
const HEADERS: readonly (readonly [string, (file: FileDiff, rest: string) => void])[] = [
  ['--- ', (file, rest) => rest !== '/dev/null' && !file.from && named(file, rest)],
  ['+++ ', (file, rest) => rest !== '/dev/null' && named(file, rest)],
  ['new file', (file) => became(file, 'created')],
  ['deleted file', (file) => became(file, 'deleted')],
  ['rename from ', (file, rest) => cameFrom(file, rest, 'renamed')],
  ['copy from ', (file, rest) => cameFrom(file, rest, 'copied')],
  ['rename to ', (file, rest) => named(file, `b/${unquoted(rest)}`)],
  ['copy to ', (file, rest) => named(file, `b/${unquoted(rest)}`)],
  ['new mode ', (file, rest) => moded(file, rest)],
  ['Binary files ', (file) => isBinary(file)],
  ['GIT binary patch', (file) => isBinary(file)],
]

/** Every file of the diff, in its order. What was cut off in the middle of a hunk is shown up to there. */
export function filesOf(diff: string): FileDiff[] {
  const files: FileDiff[] = []
  let hunk: Counting | null = null
  for (const line of diff.split('\n')) {
    const file = files.at(-1)
    if (hunk && file && (isOpen(hunk) || line.startsWith('\\'))) {
      take(file, hunk, line)
    } else if (line.startsWith('diff --git ')) {
      files.push(fresh(line))
      hunk = null
    } else if (file) {
      const begun = HUNK.exec(line)
      if (begun) hunk = opened(file, begun)
      else if (!file.hunks.length) header(file, line)
    }
  }
  return files
}

export function totals(files: readonly FileDiff[]): { added: number; removed: number } {
  return {
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
  }
}

export function lineCount(file: FileDiff): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
}

/** The first lines of a file, hunk by hunk. */
export function cut(hunks: readonly Hunk[], most: number): Hunk[] {
  const kept: Hunk[] = []
  let left = most
  for (const hunk of hunks) {
    if (left <= 0) break
    kept.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) })
    left -= hunk.lines.length
  }
  return kept
}

/** A hunk while it is read: how many lines of each side are still to come. */
interface Counting {
  lines: DiffLine[]
  old: number
  now: number
  oldLeft: number
  nowLeft: number
}

function fresh(line: string): FileDiff {
  const counts = { added: 0, removed: 0 }
  const file: FileDiff = { path: '', from: null, change: 'changed', mode: null, binary: false, ...counts, hunks: [] }
  named(file, line.slice(line.lastIndexOf(' b/') + 1) || line)
  if (line.endsWith('"')) named(file, line.slice(line.lastIndexOf(' "') + 1))
  return file
}

function opened(file: FileDiff, [, old, oldCount, now, nowCount, place]: RegExpExecArray): Counting {
  const hunk: Hunk = { at: `${old} → ${now}`, place: place ?? '', lines: [] }
  file.hunks.push(hunk)
  return {
    lines: hunk.lines,
    old: Number(old),
    now: Number(now),
    oldLeft: Number(oldCount ?? 1),
    nowLeft: Number(nowCount ?? 1),
  }
}

function isOpen(hunk: Counting): boolean {
  return hunk.oldLeft > 0 || hunk.nowLeft > 0
}

function take(file: FileDiff, hunk: Counting, line: string): void {
  const mark = line[0]
  const text = line.slice(1)
  if (mark === '+') {
    hunk.lines.push({ kind: 'added', old: null, now: hunk.now++, text })
    hunk.nowLeft--
    file.added++
  } else if (mark === '-') {
    hunk.lines.push({ kind: 'removed', old: hunk.old++, now: null, text })
    hunk.oldLeft--
    file.removed++
  } else if (mark === '\\') {
    hunk.lines.push({ kind: 'remark', old: null, now: null, text: text.trim() })
  } else if (mark === ' ') {
    hunk.lines.push({ kind: 'same', old: hunk.old++, now: hunk.now++, text })
    hunk.oldLeft--
    hunk.nowLeft--
  }
}

function header(file: FileDiff, line: string): void {
  const found = HEADERS.find(([begin]) => line.startsWith(begin))
  if (found) found[1](file, line.slice(found[0].length))
}

function named(file: FileDiff, raw: string): void {
  file.path = unquoted(raw.replace(/\t$/, '')).replace(/^[ab]\//, '')
}

function became(file: FileDiff, change: FileChange): void {
  file.change = change
}

function cameFrom(file: FileDiff, raw: string, change: FileChange): void {
  file.from = unquoted(raw)
  file.change = change
}

function moded(file: FileDiff, mode: string): void {
  file.mode = mode
}

function isBinary(file: FileDiff): void {
  file.binary = true
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** git puts names with other than plain letters into quotes, their bytes as octal numbers. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part, code] of name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)) {
    if (code === undefined) bytes.push(...encoder.encode(part))
    else if (code.length === 3) bytes.push(Number.parseInt(code, 8))
    else bytes.push(ESCAPES[code] ?? code.charCodeAt(0))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
