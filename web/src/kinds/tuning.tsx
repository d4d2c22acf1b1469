// Tuning sessions: their list, the form for a new one, and their page.
import { offerOf, standingOf } from '../actions/commands'
import { Permissions } from '../actions/Permissions'
import { type BriefTuning, SEVERITIES, type Tuning } from '../api/tunings'
import { commandsAt } from '../app/address'
import { IterationCount } from '../lists/columns'
import type { ListKind } from '../lists/ListKind'
import { Journal } from '../run/Journal'
import type { RequestsProps, RunKind, RunSummary, SectionProps } from '../run/RunKind'
import { TranscriptSearch } from '../run/TranscriptView'
import { Findings } from '../tuning/Findings'
import { Fixes } from '../tuning/Fixes'
import { titleOf } from '../tuning/findings'
import { Graph } from '../tuning/Graph'
import { History } from '../tuning/History'
import { knownWords, t } from '../tuning/i18n'
import { Overview } from '../tuning/Overview'
import { partsOf, type TuningParts } from '../tuning/parts'
import { Report } from '../tuning/Report'
import { Tokens } from '../tuning/Tokens'
import { tuningForm } from '../tuning/TuningFields'
import { GATE_TONES, SEVERITY_TONES, tuningLook } from '../tuning/tones'
import { number } from '../ui/format'

export const tuning: ListKind<BriefTuning & { id: string }> & RunKind<Tuning, TuningParts> = {
  name: 'tuning',
  t,
  statuses: ['running', 'pending', 'completed', 'failed'],
  statusWords: (status) => t(`status.${status as Tuning['status']}`),
  searchHint: () => t('list.search_hint'),
  command: 'loopwright tune .claude/skills/NAME',
  columns: columnsOf,
  form: tuningForm,
  summaryOf,
  partsOf,
  // Any step may have changed the skill's files; what nobody looks at is not read.
  partsAfter: () => null,
  offerOf: ({ status, engine }, live) =>
    offerOf('tuning', standingOf({ status, live, waits: Boolean(engine.waiting) })),
  Requests,
  sections: [
    { name: 'overview', title: () => t('tab.overview'), Content: Overview },
    {
      name: 'findings',
      title: () => t('tab.findings'),
      count: ({ engine }) => engine.findings.length,
      Content: Findings,
    },
    {
      name: 'fixes',
      title: () => t('tab.fixes'),
      count: ({ proposed_fixes }) => proposed_fixes.length,
      Content: Fixes,
    },
    { name: 'graph', title: () => t('tab.graph'), Content: Graph },
    { name: 'tokens', title: () => t('tab.tokens'), Content: Tokens },
    { name: 'report', title: () => t('tab.report'), Content: Report },
    { name: 'history', title: () => t('tab.history'), Content: History },
    { name: 'transcript', title: () => t('tab.transcript'), Content: Transcript },
    { name: 'journal', title: () => t('tab.journal'), Content: ({ resources }) => <Journal run={resources} /> },
  ],
}

function columnsOf(brief: BriefTuning) {
  const { title, path, level, needs, fixes } = brief
  return {
    title,
    look: tuningLook(brief),
    details: [title !== path && path, brief.failure_reason, level !== 'none' && t(`level.${level}`), brief.agent],
    needs: needs && t(`needs.${needs}`),
    progress: (
      <>
        <Score brief={brief} />
        <IterationCount at={brief.current_iteration} most={brief.max_iterations} isMuted />
      </>
    ),
    results: (
      <div class="list-tests">
        <IssueCounts issues={brief.issues} isKnown={brief.score !== null} />
        {fixes.proposed > 0 && (
          <span class="small muted">{t('row.fixes', { applied: fixes.applied, n: fixes.proposed })}</span>
        )}
      </div>
    ),
    changedAt: brief.updated_at ?? brief.created_at,
  }
}

function Score({ brief: { score, gate } }: { brief: BriefTuning }) {
  if (score === null || gate === null) return <span class="small muted">{t('row.no_score')}</span>
  return (
    <span class={`score tone-${GATE_TONES[gate]}`}>
      <strong>{number(score, 1)}</strong> <span class="small">{t(`gate.${gate}`)}</span>
    </span>
  )
}

function IssueCounts({ issues, isKnown }: Pick<BriefTuning, 'issues'> & { isKnown: boolean }) {
  const found = SEVERITIES.filter((severity) => issues[severity] > 0)
  if (found.length === 0) return <span class="small muted">{isKnown ? t('row.clean') : '–'}</span>
  return (
    <span class="severities">
      {found.map((severity) => (
        <span
          key={severity}
          class={`badge tone-${SEVERITY_TONES[severity]} severity-${severity}`}
          title={t(`severity.${severity}`)}
        >
          <span class="sr-only">{t(`severity.${severity}`)} </span>
          {issues[severity]}
        </span>
      ))}
    </span>
  )
}

function summaryOf(tuning: Tuning): RunSummary {
  const { engine, status, quality_gate: gate } = tuning
  const look = tuningLook({ status, outcome: engine.outcome ?? null, gate })
  const steps = new Set(engine.under_way.map(({ step }) => knownWords(`action.${step}`, step)))
  return {
    id: engine.id,
    title: titleOf(tuning),
    status,
    look: engine.waiting ? { ...look, tone: 'warn', words: t('needs.choice') } : look,
    pause: null,
    doing: [...steps].join(', ') || null,
    waits: Boolean(engine.waiting),
    iteration: tuning.iteration_count,
    limit: tuning.max_iterations,
    facts: [],
    changedAt: tuning.updated_at ?? engine.created_at ?? null,
    reason: engine.reason ?? null,
    parked: null,
    rev: engine.rev,
  }
}

/** Permissions, and which fixes shall be applied. */
function Requests({ address, view, section }: RequestsProps<Tuning>) {
  const { engine, status } = view.run
  if (status !== 'running') return null
  return (
    <>
      {engine.asked.length > 0 && <Permissions send={commandsAt(address)} requests={engine.asked} />}
      {engine.waiting && section !== 'fixes' && (
        <p class="notice tone-warn">
          <strong>{t('fixes.choose_words', { n: engine.waiting.options.length })}</strong>
          <a href={address.href('fixes')}>{t('fixes.look')}</a>
        </p>
      )}
    </>
  )
}

/** One that has not begun is, to those words, like a loop that was only created. */
function Transcript({ resources, view }: SectionProps<Tuning, TuningParts>) {
  const { status } = view.run
  return (
    <TranscriptSearch
      transcript={resources.transcript.value}
      status={status === 'pending' ? 'created' : status}
      isLive={view.live}
    />
  )
}
