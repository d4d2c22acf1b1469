// Cycles: their list, the form for a new one, and their page.
import { offerOf, standingOf } from '../actions/commands'
import { ReopenDialog } from '../actions/ReopenDialog'
import { TellDialog } from '../actions/TellDialog'
import { type BriefCycle, type BriefRole, type Cycle, ROLES } from '../api/cycles'
import { Changes } from '../cycle/Changes'
import { Coordination } from '../cycle/Coordination'
import { Discoveries } from '../cycle/Discoveries'
import { Documents } from '../cycle/Documents'
import { ExtendDialog } from '../cycle/ExtendDialog'
import { Iterations } from '../cycle/Iterations'
import { roleTitle, statusWords, stepWords, t } from '../cycle/i18n'
import { Overview } from '../cycle/Overview'
import { PlanTab } from '../cycle/PlanTab'
import { type CycleParts, partsAfter, partsOf } from '../cycle/parts'
import { Requests } from '../cycle/Requests'
import { RoleFields, readRoles } from '../cycle/RoleFields'
import { Tests } from '../cycle/Tests'
import { Timeline } from '../cycle/Timeline'
import { ROLE_TONES } from '../cycle/tones'
import { t as common } from '../i18n'
import { IterationCount, TaskCount, TestsColumn } from '../lists/columns'
import type { ListKind } from '../lists/ListKind'
import { runForm } from '../lists/RunFields'
import { Journal } from '../run/Journal'
import type { CommandDialogProps, RunKind, RunSummary, SectionProps } from '../run/RunKind'
import { pauseOf, placeFacts } from '../run/standing'
import { TranscriptSearch } from '../run/TranscriptView'
import { clockTime } from '../ui/format'
import { lookOf } from '../ui/tones'

export const cycle: ListKind<BriefCycle & { id: string }> & RunKind<Cycle, CycleParts> = {
  name: 'cycle',
  t,
  statuses: ['running', 'paused', 'created', 'completed', 'failed'],
  statusWords: (status) => common(`status.${status as Cycle['status']}`),
  searchHint: () => common('loops.search'),
  command: 'loopwright cycle run --auto "…"',
  columns: columnsOf,
  form: runForm({ t, more: { Fields: RoleFields, read: readRoles } }),
  summaryOf,
  partsOf,
  partsAfter,
  offerOf: ({ status, engine }, live) =>
    offerOf('cycle', standingOf({ status, live, isParked: Boolean(engine.parked) })),
  CommandDialog,
  Requests,
  sections: [
    { name: 'overview', title: () => t('tab.overview'), Content: Overview },
    {
      name: 'iterations',
      title: () => t('tab.iterations'),
      count: ({ iterations }) => iterations.length,
      Content: Iterations,
    },
    { name: 'plan', title: () => t('tab.plan'), count: planCount, Content: PlanTab },
    { name: 'documents', title: () => t('tab.documents'), Content: Documents },
    { name: 'coordination', title: () => t('tab.coordination'), count: openCount, Content: Coordination },
    { name: 'discoveries', title: () => t('tab.discoveries'), Content: Discoveries },
    {
      name: 'tests',
      title: () => t('tab.tests'),
      count: ({ test_results }) => test_results?.total_tests ?? '',
      Content: Tests,
    },
    { name: 'changes', title: () => t('tab.changes'), Content: Changes },
    { name: 'timeline', title: () => t('tab.timeline'), Content: Timeline },
    { name: 'transcript', title: () => t('tab.transcript'), Content: RoleTranscript },
    { name: 'journal', title: () => t('tab.journal'), Content: ({ resources }) => <Journal run={resources} /> },
  ],
}

function columnsOf(brief: BriefCycle) {
  const { roles, tasks, parked_until, pause, needs } = brief
  const steps = brief.status === 'running' ? roles.flatMap(({ steps }) => steps) : []
  return {
    title: brief.title,
    look: lookOf(brief),
    details: [
      [...new Set(steps.map(({ step }) => stepWords(step)))].join(', '),
      pause && common(`pause.${pause}`),
      parked_until && common('loops.until', { time: clockTime(parked_until) }),
      brief.failure_reason,
      [...new Set(roles.map(({ agent }) => agent))].join(', '),
      common(`mode.${brief.mode}`),
    ],
    needs: needs && needs !== 'resume' ? t(`needs.${needs}`) : null,
    progress: (
      <>
        <RoleLights roles={roles} />
        <IterationCount at={brief.current_iteration} most={brief.max_iterations} />
        {tasks.total > 0 && <TaskCount done={tasks.completed} all={tasks.total} isMuted />}
      </>
    ),
    results: <TestsColumn tests={brief.tests} />,
    changedAt: brief.updated_at,
  }
}

function RoleLights({ roles }: { roles: readonly BriefRole[] }) {
  return (
    <span class="lights">
      {roles.map(({ role, status }) => (
        <i
          key={role}
          class={`tone-${ROLE_TONES[status]} ${status}`}
          title={`${roleTitle(role)}: ${statusWords(status)}`}
        />
      ))}
    </span>
  )
}

function summaryOf(cycle: Cycle): RunSummary {
  const { engine, status } = cycle
  return {
    id: cycle.cycle_id,
    title: cycle.title,
    status,
    look: lookOf({ status, outcome: engine.outcome ?? null, parked_until: engine.parked?.until ?? null }),
    pause: pauseOf(cycle),
    doing: null,
    waits: false,
    iteration: cycle.current_iteration,
    limit: cycle.max_iterations,
    facts: [
      ...(engine.queue.length > 0
        ? ([[t('standing.queue'), t('standing.queued', { n: engine.queue.length })]] as const)
        : []),
      ...placeFacts(engine),
    ],
    changedAt: cycle.updated_at,
    reason: cycle.failure_reason ?? null,
    parked: engine.parked ?? null,
    rev: engine.rev,
  }
}

function planCount({ plan }: Cycle): string {
  const tasks = plan?.tasks ?? []
  return tasks.length ? `${tasks.filter(({ status }) => status === 'completed').length}/${tasks.length}` : ''
}

/** Decisions and blockers that a person may settle. */
function openCount({ coordination: { pending_decisions, blockers } }: Cycle): number {
  const pending = pending_decisions.filter(({ status }) => status === 'pending')
  return pending.length + blockers.filter(({ status }) => status === 'open').length
}

/** `detail`: the role to show at first. */
function RoleTranscript({ resources, view, detail }: SectionProps<Cycle, CycleParts>) {
  return (
    <TranscriptSearch
      key={detail}
      transcript={resources.transcript.value}
      status={view.run.status}
      isLive={view.live}
      roles={ROLES.map((role) => [role, roleTitle(role)] as const)}
      {...(detail && { role: detail })}
    />
  )
}

function CommandDialog({ command, send, state, onClose }: CommandDialogProps<Cycle>) {
  if (command === 'extend') return <ExtendDialog send={send} cycle={state} onClose={onClose} />
  if (command === 'tell') return <TellDialog send={send} messages={state.engine.messages ?? []} onClose={onClose} />
  if (command !== 'reopen') return null
  return (
    <ReopenDialog
      title={t('do.reopen_title')}
      words={common('do.reopen_words')}
      of={state}
      reopen={(limits) => send('reopen', { ...limits })}
      onClose={onClose}
    />
  )
}
