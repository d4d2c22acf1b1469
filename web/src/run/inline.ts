// Which part of a changed line is the change: what lies between the common beginning and the common end. Pure.
import type { DiffLine } from './diff'

/** From where to where in the text. */
export type Span = readonly [number, number]

/** Less in common, and marking a part tells nothing. */
const LEAST_COMMON = 0.3

/** Spans by line, for removed and added lines that stand for each other: blocks of the same length. */
export function spansOf(lines: readonly DiffLine[]): Map<DiffLine, Span> {
  const spans = new Map<DiffLine, Span>()
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed')
    const added = run(lines, at + removed.length, 'added')
    if (removed.length === added.length) {
      removed.forEach((line, n) => {
        const other = added[n]
        if (other) mark(spans, line, other)
      })
    }
    at += Math.max(1, removed.length + added.length)
  }
  return spans
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end++
  return lines.slice(from, end)
}

function mark(spans: Map<DiffLine, Span>, old: DiffLine, now: DiffLine): void {
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
