// The lines of a file around a finding, with what is meant marked. Pure.
import type { Finding } from '../api/tunings'

/** Lines before and behind. */
const AROUND = 6
/** Lines of a finding that are shown; a longer one goes on. */
const MOST = 60

/** `marked`: the columns that are meant, from and to, or null. */
export interface SourceLine {
  number: number
  text: string
  marked: readonly [number, number] | null
}

export type Place = Pick<Finding, 'line' | 'line_end' | 'column' | 'column_end'>

export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

export function excerptLines(lines: readonly string[], place: Place, around = AROUND): SourceLine[] {
  const last = Math.min(lines.length, place.line_end + around, place.line + MOST + around)
  const first = Math.max(1, place.line - around)
  return lines.slice(first - 1, last).map((text, at) => {
    const number = first + at
    return { number, text, marked: markedIn(text, number, place) }
  })
}

/** Whether the line still says what it said when it was looked at. `said`: an excerpt of it, cut where it was long. */
export function isAsFound(lines: readonly string[], line: number, said: string): boolean {
  const words = said.replace(/^…|…$/g, '').trim()
  return (lines[line - 1] ?? '').includes(words)
}

function markedIn(text: string, number: number, place: Place): readonly [number, number] | null {
  if (number < place.line || number > place.line_end) return null
  const from = number === place.line ? place.column - 1 : text.length - text.trimStart().length
  const to = number === place.line_end ? place.column_end - 1 : text.length
  return to > from ? [from, Math.min(to, text.length)] : null
}
