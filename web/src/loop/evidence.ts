// What was measured for a hypothesis, as rows that can be read: any JSON, flattened as far as it helps. Pure.

export interface Fact {
  name: string
  value: string
  /** Code or data, not prose. */
  isCode: boolean
}

const DEEPEST = 2
const MOST_ROWS = 60
const LONGEST = 2000
const PROSE = /^[\p{L}\p{N}][^{}()[\]=<>]*$/u

export function factsOf(evidence: Readonly<Record<string, unknown>>): Fact[] {
  return factRows(evidence, '', 0).slice(0, MOST_ROWS)
}

function factRows(value: Readonly<Record<string, unknown>>, above: string, depth: number): Fact[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const path = above ? `${above} › ${formatName(name)}` : formatName(name)
    if (part === null || part === undefined || isEmpty(part)) return []
    if (isRecord(part) && depth < DEEPEST) return factRows(part, path, depth + 1)
    if (Array.isArray(part) && part.some(isRecord) && depth < DEEPEST) {
      return part.flatMap((item, at) => {
        const own = `${path} ${at + 1}`
        return isRecord(item) ? factRows(item, own, depth + 1) : [factOf(own, item)]
      })
    }
    return [factOf(path, part)]
  })
}

function factOf(name: string, value: unknown): Fact {
  const text = formatValue(value)
  return { name, value: text.slice(0, LONGEST), isCode: typeof value !== 'number' && !PROSE.test(text) }
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 4 })
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function formatName(name: string): string {
  return name.replaceAll('_', ' ')
}
