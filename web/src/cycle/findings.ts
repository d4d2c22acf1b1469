// What was found out, as it is shown: by kind, with what names it on top. Pure.
import type { Finding } from '../api/cycles'

/** In this order; kinds that are not known here come after them. */
const ORDER = [
  'blocker',
  'tech_stack',
  'architecture',
  'project_config',
  'existing_feature',
  'integration_point',
  'similar_impl',
  'code_pattern',
  'code_convention',
  'utility',
  'test_command',
  'test_baseline',
  'test_pattern',
]

/** The field that makes one of a kind unique. */
const NAMED: Readonly<Record<string, string>> = {
  project_config: 'path',
  existing_feature: 'name',
  code_pattern: 'name',
  integration_point: 'file',
  similar_impl: 'feature',
  utility: 'name',
  blocker: 'issue',
}

interface Group {
  type: string
  findings: Finding[]
}

export function byType(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Finding[]>()
  for (const one of findings) groups.set(one.type, [...(groups.get(one.type) ?? []), one])
  const place = (type: string) => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length)
  return [...groups]
    .map(([type, findings]) => ({ type, findings }))
    .sort((a, b) => place(a.type) - place(b.type) || a.type.localeCompare(b.type))
}

/** What names it; empty where there is only one of its kind. */
export function titleOf({ type, data }: Finding): string {
  const field = NAMED[type]
  return field === undefined ? '' : formatValue(data[field])
}

/** The rest of what was found, a line each. */
export function linesOf({ type, data }: Finding): (readonly [string, string])[] {
  return Object.entries(data)
    .filter(([name]) => name !== NAMED[type])
    .map(([name, value]) => [name.replaceAll('_', ' '), formatValue(value)] as const)
    .filter(([, value]) => value !== '')
}

export function wordsOf(finding: Finding): string {
  return `${finding.type} ${finding.agent} ${Object.values(finding.data).map(formatValue).join(' ')}`.toLowerCase()
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ')
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${formatValue(one)}`)
      .join(', ')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
