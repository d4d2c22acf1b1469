// What differs between two texts, line by line, as the unified diff that git would write: so that one view shows both.
// The shortest way from one to the other, by Myers' algorithm. Pure.

/** Lines around a change that are shown with it. */
const CONTEXT = 3
/** Texts that have less in common are shown as one taken away and one put there. */
const MOST_CHANGES = 1200

type Kind = ' ' | '-' | '+'
interface Line {
  kind: Kind
  text: string
}

/** Empty where both are the same. `name` is what the file is called. */
export function unified(name: string, before: string, after: string): string {
  if (before === after) return ''
  const lines = differing(linesOf(before), linesOf(after))
  const hunks = hunksOf(lines)
  return hunks.length ? [`diff --git a/${name} b/${name}`, ...hunks].join('\n') : ''
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function differing(before: readonly string[], after: readonly string[]): Line[] {
  let begin = 0
  while (begin < before.length && begin < after.length && before[begin] === after[begin]) begin++
  let end = 0
  const most = Math.min(before.length, after.length) - begin
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const inner = shortest(before.slice(begin, before.length - end), after.slice(begin, after.length - end))
  return [...same(before.slice(0, begin)), ...inner, ...same(before.slice(before.length - end))]
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: ' ', text }))
}

/** For each number of changes how far each diagonal goes, then back along the way that came to the end first. */
function shortest(before: readonly string[], after: readonly string[]): Line[] {
  const trail: Map<number, number>[] = []
  let reach = new Map([[1, 0]])
  for (let changes = 0; changes <= Math.min(MOST_CHANGES, before.length + after.length); changes++) {
    trail.push(reach)
    reach = new Map(reach)
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = goesDown(reach, diagonal, changes) ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++
      reach.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return back(trail, before, after)
    }
  }
  return [...before.map((text): Line => ({ kind: '-', text })), ...after.map((text): Line => ({ kind: '+', text }))]
}

function back(trail: readonly Map<number, number>[], before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = []
  let x = before.length
  let y = after.length
  for (let changes = trail.length - 1; changes >= 0; changes--) {
    const reach = trail[changes] ?? new Map<number, number>()
    const diagonal = x - y
    const from = goesDown(reach, diagonal, changes) ? diagonal + 1 : diagonal - 1
    const fromX = at(reach, from)
    const fromY = fromX - from
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      lines.push({ kind: ' ', text: before[--x] ?? '' })
      y--
    }
    if (changes === 0) break
    if (x === fromX) lines.push({ kind: '+', text: after[--y] ?? '' })
    else lines.push({ kind: '-', text: before[--x] ?? '' })
  }
  return lines.reverse()
}

function goesDown(reach: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && at(reach, diagonal - 1) < at(reach, diagonal + 1))
}

function at(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? 0
}

function hunksOf(lines: readonly Line[]): string[] {
  const hunks: string[] = []
  let old = 1
  let now = 1
  for (let n = 0; n < lines.length; ) {
    const end = endOfHunk(lines, n)
    if (end === null) break
    const begin = Math.max(n, firstChange(lines, n) - CONTEXT)
    old += begin - n
    now += begin - n
    const part = lines.slice(begin, end)
    const oldCount = part.filter(({ kind }) => kind !== '+').length
    const nowCount = part.filter(({ kind }) => kind !== '-').length
    hunks.push(`@@ -${old},${oldCount} +${now},${nowCount} @@`, ...part.map(({ kind, text }) => `${kind}${text}`))
    old += oldCount
    now += nowCount
    n = end
  }
  return hunks
}

function firstChange(lines: readonly Line[], from: number): number {
  let n = from
  while (lines[n]?.kind === ' ') n++
  return n
}

/** Where the hunk that begins at the next change ends: changes near to each other are in one. Null: no more changes. */
function endOfHunk(lines: readonly Line[], from: number): number | null {
  let last = firstChange(lines, from)
  if (last >= lines.length) return null
  for (let next = last; next < lines.length && next - last <= 2 * CONTEXT; ) {
    last = next
    next = firstChange(lines, next + 1)
  }
  return Math.min(lines.length, last + 1 + CONTEXT)
}
