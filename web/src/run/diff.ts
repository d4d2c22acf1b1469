// Unified diffs, as git writes them, and what differs between two texts: as files, hunks and numbered lines, by jsdiff.
// Pure.
import { parsePatch, type StructuredPatch, structuredPatch } from 'diff'

type LineKind = 'same' | 'added' | 'removed' | 'remark'
type FileChange = 'changed' | 'created' | 'deleted' | 'renamed' | 'copied'

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

/** Lines around a change that are shown with it. */
const CONTEXT = 3
/** Texts that have less in common are shown as one removed and one added: the search takes the square of it. */
const MOST_CHANGES = 1200
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/

/** Every file of the diff, in its order. */
export function parseDiff(diff: string): FileDiff[] {
  // No line of a file begins like this: each has its mark in front.
  return diff.split(/^(?=diff --git )/m).flatMap((part) => {
    const places = [...part.matchAll(new RegExp(HUNK, 'gm'))].map(([, , , place]) => place ?? '')
    return patchesOf(part)
      .filter(({ oldFileName, newFileName }) => oldFileName || newFileName)
      .map((patch) => fileOf(patch, places))
  })
}

/** What differs between two texts; null where all lines are the same. */
export function diffTexts(name: string, before: string, after: string): FileDiff | null {
  const [old, now] = [terminateText(before), terminateText(after)]
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES }
  const patch = structuredPatch(name, name, old, now, '', '', options) ?? replacementOf(name, old, now)
  return patch.hunks.length ? fileOf(patch, []) : null
}

export function countChanges(files: readonly FileDiff[]): { added: number; removed: number } {
  return {
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
  }
}

export function countLines(file: FileDiff): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
}

/** The first lines of a file, hunk by hunk. */
export function firstLines(hunks: readonly Hunk[], most: number): Hunk[] {
  const kept: Hunk[] = []
  let left = most
  for (const hunk of hunks) {
    if (left <= 0) break
    kept.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) })
    left -= hunk.lines.length
  }
  return kept
}

/** A text that is no diff has no patches. */
function patchesOf(part: string): StructuredPatch[] {
  for (const text of [part, completeHunk(part)]) {
    try {
      return parsePatch(text)
    } catch {
      // Not as it should be: it may have been cut off.
    }
  }
  return []
}

/** The server cuts a long diff off anywhere: its last hunk has as many lines as are there. */
function completeHunk(part: string): string {
  const at = part.lastIndexOf('\n@@ ') + 1
  if (at === 0) return part.split('\n--- ', 1)[0] ?? ''
  const [head = '', ...lines] = part.slice(at).split('\n')
  const count = (mark: string) => lines.filter((line) => line.startsWith(' ') || line.startsWith(mark)).length
  if (!HUNK.test(head)) return part.slice(0, at)
  const counted = head.replace(HUNK, `@@ -$1,${count('-')} +$2,${count('+')} @@`)
  return part.slice(0, at) + [counted, ...lines].join('\n')
}

/** The end of the last line is no difference worth showing. */
function terminateText(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function replacementOf(name: string, before: string, after: string): StructuredPatch {
  const marked = (mark: string, text: string) => (text.match(/.*\n/g) ?? []).map((line) => mark + line.slice(0, -1))
  const [removed, added] = [marked('-', before), marked('+', after)]
  const counts = { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length }
  const hunks = [{ ...counts, lines: [...removed, ...added] }]
  return { oldFileName: name, newFileName: name, oldHeader: '', newHeader: '', hunks }
}

function fileOf(patch: StructuredPatch, places: string[]): FileDiff {
  const { oldFileName = '', newFileName = '', isRename, isCopy, isCreate, isDelete } = patch
  const change = isRename ? 'renamed' : isCopy ? 'copied' : isCreate ? 'created' : isDelete ? 'deleted' : 'changed'
  // A hunk without lines is a header that was cut off.
  const whole = patch.hunks.filter(({ lines }) => lines.length > 0)
  const hunks = whole.map((hunk, n): Hunk => {
    const at = `${firstOf(hunk.oldStart, hunk.oldLines)} → ${firstOf(hunk.newStart, hunk.newLines)}`
    return { at, place: places[n] ?? '', lines: numberLines(hunk.lines, hunk.oldStart, hunk.newStart) }
  })
  const count = (kind: LineKind) => hunks.flatMap(({ lines }) => lines.filter((line) => line.kind === kind)).length
  return {
    path: plainName(newFileName === '/dev/null' ? oldFileName : newFileName),
    from: isRename || isCopy ? plainName(oldFileName) : null,
    change,
    mode: isCreate ? null : (patch.newMode ?? null),
    binary: patch.isBinary ?? false,
    added: count('added'),
    removed: count('removed'),
    hunks,
  }
}

/** As it stands in the header of the hunk: of no lines, the one before is named. */
function firstOf(start: number, count: number): number {
  return count === 0 ? start - 1 : start
}

function plainName(name: string): string {
  return name.replace(/^[ab]\//, '')
}

const KINDS: Readonly<Record<string, LineKind>> = { '+': 'added', '-': 'removed', '\\': 'remark' }

function numberLines(lines: readonly string[], oldStart: number, newStart: number): DiffLine[] {
  let [old, now] = [oldStart, newStart]
  return lines.map((line) => {
    const kind = KINDS[line[0] ?? ''] ?? 'same'
    const text = line.slice(1)
    if (kind === 'remark') return { kind, old: null, now: null, text: text.trim() }
    return { kind, old: kind === 'added' ? null : old++, now: kind === 'removed' ? null : now++, text }
  })
}

/** From where to where in the text. */
export type Span = readonly [number, number]

/** Less in common, and marking a part tells nothing. */
const LEAST_COMMON = 0.3

/**
 * Which part of a changed line is the change: what lies between the common beginning and the common end. For removed
 * and added lines that stand for each other: blocks of the same length.
 */
export function spansOf(lines: readonly DiffLine[]): Map<DiffLine, Span> {
  const spans = new Map<DiffLine, Span>()
  for (let at = 0; at < lines.length; ) {
    const removed = blockAt(lines, at, 'removed')
    const added = blockAt(lines, at + removed.length, 'added')
    if (removed.length === added.length) {
      removed.forEach((line, n) => {
        const other = added[n]
        if (other) markChange(spans, line, other)
      })
    }
    at += Math.max(1, removed.length + added.length)
  }
  return spans
}

function blockAt(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end++
  return lines.slice(from, end)
}

function markChange(spans: Map<DiffLine, Span>, old: DiffLine, now: DiffLine): void {
  const most = Math.min(old.text.length, now.text.length)
  let begin = 0
  while (begin < most && old.text[begin] === now.text[begin]) begin++
  let end = 0
  while (end < most - begin && old.text.at(-1 - end) === now.text.at(-1 - end)) end++
  const common = old.text.slice(0, begin).trim().length + end
  if (common < LEAST_COMMON * Math.max(old.text.trim().length, now.text.trim().length)) return
  spans.set(old, [begin, old.text.length - end])
  spans.set(now, [begin, now.text.length - end])
}
