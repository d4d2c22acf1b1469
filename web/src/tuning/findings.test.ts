import { describe, expect, it } from 'vitest'
import type { AppliedFix, Finding, Fix, Issue, Tuning } from '../api/tunings'
import { canRollBack, filterFindings, fixesOf, issueOf, sortFindings, stateOf } from './findings'

function finding(rule: string, changes: Partial<Finding> = {}): Finding {
  return {
    rule,
    dimension: 'context',
    severity: 'medium',
    confidence: 'certain',
    file: 'SKILL.md',
    line: 1,
    line_end: 1,
    start: 0,
    end: 1,
    excerpt: 'x',
    subject: 'thing',
    message: `${rule} is wrong`,
    why: 'w',
    advice: 'a',
    strategy: 'custom',
    also: [],
    column: 1,
    column_end: 2,
    marked: [0, 1],
    ...changes,
  }
}

function issue(id: string, cause: string, file = 'SKILL.md'): Issue {
  return {
    id,
    type: 'context_explosion',
    severity: 'medium',
    priority: 1,
    location: { file },
    description: 'd',
    evidence: [],
    root_cause: cause,
    impact: 'i',
    suggested_fix: 's',
    related_issues: [],
  }
}

type Part = Partial<Pick<Tuning, 'applied_fixes' | 'pending_fixes' | 'status'>> & { engine?: Partial<Tuning['engine']> }

function session({ engine = {}, ...part }: Part): Tuning {
  return { status: 'running', applied_fixes: [], pending_fixes: [], ...part, engine } as unknown as Tuning
}

function applied(result: AppliedFix['verification_result'], available: boolean): AppliedFix {
  return {
    fix_id: 'FIX-001',
    applied_at: '2026-01-22T10:00:00Z',
    success: available,
    backup_path: 'b',
    verification_result: result,
    rollback_available: available,
  }
}

describe('findings', () => {
  it('come the worst first, and what does not count last', () => {
    const all = [
      finding('hinted', { severity: 'critical', confidence: 'hint' }),
      finding('b', { severity: 'high', file: 'b.md' }),
      finding('a', { severity: 'high', file: 'a.md', start: 9 }),
      finding('low', { severity: 'low' }),
      finding('first', { severity: 'high', file: 'a.md', start: 2 }),
    ]
    expect(sortFindings(all).map(({ rule }) => rule)).toEqual(['first', 'a', 'b', 'low', 'hinted'])
  })

  it('are narrowed by all that is wanted at once', () => {
    const all = [finding('one'), finding('two', { dimension: 'agent' }), finding('three', { severity: 'low' })]
    const rules = (wanted: Parameters<typeof filterFindings>[1]) => filterFindings(all, wanted).map(({ rule }) => rule)
    expect(rules({ dimension: 'all', severity: 'all', words: '' })).toEqual(['one', 'two', 'three'])
    expect(rules({ dimension: 'context', severity: 'medium', words: '' })).toEqual(['one'])
    expect(rules({ dimension: 'all', severity: 'all', words: ' TWO ' })).toEqual(['two'])
  })

  it('belong to the issue of their rule, subject and file, and to its fixes', () => {
    const issues = [
      issue('ISS-001', 'one: other'),
      issue('ISS-002', 'one: thing', 'a.md'),
      issue('ISS-003', 'one: thing'),
    ]
    expect(issueOf(finding('one'), issues)?.id).toBe('ISS-003')
    expect(issueOf(finding('two'), issues)).toBeUndefined()
    const fix = { id: 'FIX-001', issue_ids: ['ISS-003'] } as unknown as Fix
    expect(fixesOf(issues[2], [fix])).toEqual([fix])
    expect(fixesOf(undefined, [fix])).toEqual([])
  })
})

describe('a fix', () => {
  const waiting = { question: 'Which?', options: ['FIX-001'], since: '' }
  it.each([
    ['offered', session({ engine: { waiting } }), null],
    ['pending', session({ pending_fixes: ['FIX-001'] }), null],
    ['proposed', session({}), null],
    ['applied', session({ applied_fixes: [applied('pending', true)] }), null],
    ['verified', session({ applied_fixes: [applied('pass', true)] }), null],
    ['undone', session({ applied_fixes: [applied('pass', false)] }), null],
    ['verified', session({ applied_fixes: [applied('fail', false), applied('pass', true)] }), null],
    [
      'rejected',
      session({ applied_fixes: [applied('fail', false)], engine: { dropped: { 'FIX-001': 'why' } } }),
      'why',
    ],
    ['dropped', session({ engine: { dropped: { 'FIX-001': 'the file changed' } } }), 'the file changed'],
    [
      'refused',
      session({
        engine: {
          rejected: { abc: 'a person did not choose it' },
          proposals: { 'FIX-001': { fingerprints: ['abc'] } },
        },
      } as unknown as Part),
      'a person did not choose it',
    ],
  ])('is %s', (state, tuning, why) => {
    expect(stateOf(tuning, 'FIX-001')).toEqual({ state, why })
  })

  it('is rolled back only in a session that has ended, and once', () => {
    const done = (status: Tuning['status'], available: boolean) =>
      canRollBack(session({ status, applied_fixes: [applied('pass', available)] }), 'FIX-001')
    expect([done('running', true), done('completed', true), done('failed', true), done('completed', false)]).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(canRollBack(session({ status: 'completed' }), 'FIX-001')).toBe(false)
  })
})
