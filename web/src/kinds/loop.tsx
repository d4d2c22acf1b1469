// Loops: their list, the form for a new one, and their page.
import { offerOf, standingOf } from '../actions/commands'
import { Permissions } from '../actions/Permissions'
import { Question } from '../actions/Question'
import { ReopenDialog } from '../actions/ReopenDialog'
import { TellDialog } from '../actions/TellDialog'
import type { BriefLoop, Loop } from '../api/types'
import { commandsAt } from '../app/address'
import { Board } from '../board/Board'
import { t as common } from '../i18n'
import { IterationCount, TaskCount, TestsColumn } from '../lists/columns'
import type { FieldsProps, ListKind } from '../lists/ListKind'
import { runForm } from '../lists/RunFields'
import { AttemptFields, readAttempts } from '../loop/AttemptFields'
import { Causes } from '../loop/Causes'
import { Changes } from '../loop/Changes'
import { Files } from '../loop/Files'
import { t } from '../loop/i18n'
import { Menu } from '../loop/Menu'
import { Overview } from '../loop/Overview'
import { type LoopParts, partsOf } from '../loop/parts'
import { ReviewField, readReview } from '../loop/Review'
import { partsAfter } from '../loop/stale'
import { Tests } from '../loop/Tests'
import { Timeline } from '../loop/Timeline'
import { tallyOf } from '../loop/tests'
import { t as run } from '../run/i18n'
import { Journal } from '../run/Journal'
import type { CommandDialogProps, RequestsProps, RunKind, RunSummary } from '../run/RunKind'
import { pauseOf, placeFacts } from '../run/standing'
import { TranscriptSearch } from '../run/TranscriptView'
import { clockTime } from '../ui/format'
import { Meter } from '../ui/Meter'
import { lookOf } from '../ui/tones'

function LoopFields(props: FieldsProps) {
  return (
    <>
      <ReviewField errors={props.errors} />
      <AttemptFields {...props} />
    </>
  )
}

export const loop: ListKind<BriefLoop & { id: string }> & RunKind<Loop, LoopParts> = {
  name: 'loop',
  t,
  statuses: ['running', 'paused', 'user_exit', 'created', 'completed', 'failed'],
  statusWords: (status) => common(`status.${status as Loop['status']}`),
  searchHint: () => common('loops.search'),
  command: 'loopwright run --auto "…"',
  columns: columnsOf,
  form: runForm({ t, more: { Fields: LoopFields, read: (form) => ({ ...readReview(form), ...readAttempts(form) }) } }),
  summaryOf,
  partsOf,
  partsAfter,
  offerOf: ({ status, engine }, live) =>
    offerOf('loop', standingOf({ status, live, isParked: Boolean(engine.parked) })),
  CommandDialog,
  Requests,
  sections: [
    { name: 'overview', title: () => run('tab.overview'), Content: Overview },
    { name: 'timeline', title: () => run('tab.timeline'), count: (loop) => loop.current_iteration, Content: Timeline },
    {
      name: 'tasks',
      title: () => run('tab.tasks'),
      count: ({ engine, skill_state }) =>
        engine.tasks.length && `${skill_state?.develop.completed ?? 0}/${engine.tasks.length}`,
      Content: ({ resources, view }) => <Board at={resources.address.at} loop={view.run} />,
    },
    { name: 'changes', title: () => run('tab.changes'), Content: Changes },
    {
      name: 'tests',
      title: () => run('tab.tests'),
      count: (loop) => (loop.skill_state ? tallyOf(loop).all : ''),
      Content: Tests,
    },
    {
      name: 'causes',
      title: () => run('tab.causes'),
      count: ({ skill_state }) => skill_state?.debug.hypotheses_count ?? '',
      Content: Causes,
    },
    {
      name: 'transcript',
      title: () => run('tab.transcript'),
      Content: ({ resources, view }) => (
        <TranscriptSearch transcript={resources.transcript.value} status={view.run.status} isLive={view.live} />
      ),
    },
    { name: 'journal', title: () => run('tab.journal'), Content: ({ resources }) => <Journal run={resources} /> },
    { name: 'files', title: () => run('tab.files'), Content: Files },
  ],
}

function columnsOf(brief: BriefLoop) {
  const { action, attempt, parked_until, pause, needs, tests } = brief
  return {
    title: attempt ? `[${attempt.number}/${attempt.of}] ${brief.title}` : brief.title,
    look: lookOf(brief),
    details: [
      brief.status === 'running' && action && common(`action.${action}`),
      pause && common(`pause.${pause}`),
      parked_until && common('loops.until', { time: clockTime(parked_until) }),
      attempt?.chosen === true && t('attempts.mark'),
      brief.failure_reason,
      brief.agent,
      common(`mode.${brief.mode}`),
    ],
    needs: needs && needs !== 'resume' ? t(`needs.${needs}`) : null,
    progress: <Progress brief={brief} />,
    results: <TestsColumn tests={tests} />,
    changedAt: brief.updated_at,
  }
}

/** By its tasks; a loop without any is as far as its iterations. */
function Progress({ brief: { tasks, current_iteration: at, max_iterations: most } }: { brief: BriefLoop }) {
  const { total, completed, failed } = tasks
  const parts = [
    { tone: 'good', count: completed },
    { tone: 'bad', count: failed },
  ] as const
  return (
    <>
      <Meter total={total || most} parts={total > 0 ? parts : [{ tone: 'info', count: at }]} />
      {total > 0 && <TaskCount done={completed} all={total} />}
      <IterationCount at={at} most={most} isMuted={total > 0} />
    </>
  )
}

function summaryOf(loop: Loop): RunSummary {
  const { engine, status } = loop
  const current = loop.skill_state?.current_action
  return {
    id: loop.loop_id,
    title: loop.title,
    status,
    look: lookOf({ status, outcome: engine.outcome ?? null, parked_until: engine.parked?.until ?? null }),
    pause: pauseOf(loop),
    doing: status === 'running' && current ? run(`action.${current}`) : null,
    waits: false,
    iteration: loop.current_iteration,
    limit: loop.max_iterations,
    facts: [[run('standing.agent'), engine.settings.agent], ...placeFacts(engine)],
    changedAt: loop.updated_at,
    reason: loop.failure_reason ?? null,
    parked: engine.parked ?? null,
    rev: engine.rev,
  }
}

/** A question, permissions, the next step. Nothing where it asks nothing. */
function Requests({ address, view }: RequestsProps<Loop>) {
  const send = commandsAt(address)
  const { engine, status } = view.run
  const isRunning = status === 'running'
  const rests = status === 'paused' || status === 'user_exit'
  return (
    <>
      {engine.waiting && (isRunning || rests) && (
        <Question
          key={engine.waiting.since}
          send={send}
          title={t('ask.title')}
          settle={t('ask.settle')}
          waiting={engine.waiting}
          answer={engine.answer ?? null}
          rests={rests}
        />
      )}
      {isRunning && engine.asked.length > 0 && <Permissions send={send} requests={engine.asked} />}
      {isRunning && engine.menu && !engine.waiting && <Menu send={send} menu={engine.menu} />}
    </>
  )
}

function CommandDialog({ command, send, state, onClose }: CommandDialogProps<Loop>) {
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
