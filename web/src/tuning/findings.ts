// What belongs together: findings, the issues they became, and the fixes that mend them. Pure.
import type { Dimension, Finding, Fix, Issue, Severity, Tuning } from '../api/tunings'
import { SEVERITIES } from '../api/tunings'

export type FixState =
  | 'offered'
  | 'proposed'
  | 'pending'
  | 'applied'
  | 'verified'
  | 'undone'
  | 'rejected'
  | 'dropped'
  | 'refused'

interface FindingFilter {
  dimension: Dimension | 'all'
  severity: Severity | 'all'
  words: string
}

/** Neither a hint, nor refuted. */
export function isCounted({ confidence }: Finding): boolean {
  return confidence !== 'hint' && confidence !== 'refuted'
}

/** The worst first, then by file and place; what counts before the rest. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => SEVERITIES.indexOf(finding.severity) + (isCounted(finding) ? 0 : SEVERITIES.length)
  return findings.toSorted((a, b) => rank(a) - rank(b) || compareText(a.file, b.file) || a.start - b.start)
}

export function filterFindings(findings: readonly Finding[], { dimension, severity, words }: FindingFilter): Finding[] {
  const said = words.trim().toLowerCase()
  return findings.filter(
    (finding) =>
      (dimension === 'all' || finding.dimension === dimension) &&
      (severity === 'all' || finding.severity === severity) &&
      `${finding.rule} ${finding.message} ${finding.file} ${finding.subject}`.toLowerCase().includes(said),
  )
}

/** The same thing in one file is one issue, wherever it stands there; a hint is none. */
export function issueOf({ rule, subject, file }: Finding, issues: readonly Issue[]): Issue | undefined {
  return issues.find((issue) => issue.root_cause === `${rule}: ${subject}` && issue.location.file === file)
}

export function fixesOf(issue: Issue | undefined, fixes: readonly Fix[]): Fix[] {
  return issue ? fixes.filter(({ issue_ids }) => issue_ids.includes(issue.id)) : []
}

/** Where a fix stands, and why it did not stay. */
export function stateOf(tuning: Tuning, id: string): { state: FixState; why: string | null } {
  const { engine, applied_fixes, pending_fixes } = tuning
  const why = engine.dropped?.[id] ?? null
  const entry = applied_fixes.findLast(({ fix_id }) => fix_id === id)
  if (entry) {
    if (entry.verification_result === 'pending') return { state: 'applied', why }
    if (entry.verification_result === 'fail') return { state: why === null ? 'undone' : 'rejected', why }
    return { state: entry.rollback_available ? 'verified' : 'undone', why }
  }
  if (why !== null) return { state: 'dropped', why }
  if (engine.waiting?.options.includes(id)) return { state: 'offered', why }
  if (pending_fixes.includes(id)) return { state: 'pending', why }
  const prints = engine.proposals?.[id]?.fingerprints ?? []
  const refused = prints.map((print) => engine.rejected?.[print]).find((one) => one !== undefined)
  return refused === undefined ? { state: 'proposed', why } : { state: 'refused', why: refused }
}

/** Whether it can be taken out of the skill's files now. */
export function canRollBack(tuning: Tuning, id: string): boolean {
  const entry = tuning.applied_fixes.findLast(({ fix_id }) => fix_id === id)
  return (tuning.status === 'completed' || tuning.status === 'failed') && (entry?.rollback_available ?? false)
}

export function diffOf(fix: Fix): string {
  return fix.changes.map(({ diff }) => diff ?? '').join('')
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** What people know the session by: the skill's name, or where it is before it was looked at. */
export function titleOf({ target_skill, engine }: Pick<Tuning, 'target_skill' | 'engine'>): string {
  return target_skill.name || engine.path
}
