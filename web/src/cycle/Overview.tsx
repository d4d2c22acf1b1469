// The first section: the four roles, what is said now, and what it costs.
import type { AgentState, Cycle, CycleEngine, Role } from '../api/cycles'
import { documentPath, ROLES } from '../api/cycles'
import { ActivityCard, Budget, Description, Incidents, SettingsCard, Summary, settingLines } from '../run/cards'
import { t as run } from '../run/i18n'
import { Figure, SpendingFigures } from '../run/panels'
import { Result } from '../run/Result'
import { useNow } from '../run/Timeline'
import { Ticked } from '../run/text'
import { duration, moment, number, percent } from '../ui/format'
import { roleTitle, statusWords, stepWords, t } from './i18n'
import type { CycleResources, Section } from './parts'
import { currentSteps } from './steps'
import { ROLE_TONES } from './tones'

export function Overview({ resources, view }: Section) {
  const { run: cycle } = view
  const isOver = cycle.engine.outcome !== null && cycle.engine.outcome !== undefined
  const errors = cycle.phase_errors.map(({ phase, error, timestamp }) => ({ action: phase, message: error, timestamp }))
  const ran = cycle.test_results?.total_tests ?? 0
  return (
    <>
      {isOver && (
        <Result
          address={resources.address}
          diff={resources.parts.diff}
          of={cycle}
          tests={{ passed: ran - (cycle.test_results?.failed_tests.length ?? 0), all: ran }}
          patches={cycle.engine.patches ?? []}
        />
      )}
      <Figures resources={resources} cycle={cycle} />
      <Lanes resources={resources} view={view} />
      <div class="halves">
        <div class="stack">
          <Description title={cycle.title} text={cycle.description} />
          {isOver && (
            <Summary
              address={resources.address}
              rest={documentPath('coordination/summary.md')}
              rev={cycle.engine.rev}
            />
          )}
          <ActivityCard run={resources} view={view} isOver={isOver} />
        </div>
        <aside class="stack" aria-label={t('overview.aside')}>
          <Budget budget={cycle.engine.budget} />
          <Incidents incidents={cycle.engine.incidents} errors={errors} />
          <Settings cycle={cycle} />
        </aside>
      </div>
    </>
  )
}

function Lanes({ resources, view }: Pick<Section, 'resources' | 'view'>) {
  const { agents, engine } = view.run
  const now = useNow(view.live && engine.under_way.length > 0)
  const states: Record<Role, AgentState> = agents
  return (
    <section class="lanes" aria-label={t('roles.title')}>
      {ROLES.map((role) => (
        <Lane key={role} resources={resources} role={role} state={states[role]} engine={engine} now={now} />
      ))}
    </section>
  )
}

/** The few numbers that say how far it is. */
function Figures({ resources, cycle }: { resources: CycleResources; cycle: Cycle }) {
  const { test_results: tests, plan, changes } = cycle
  const { budget } = cycle.engine
  const failed = tests?.failed_tests.length ?? 0
  const done = plan?.tasks.filter(({ status }) => status === 'completed').length ?? 0
  return (
    <dl class="figures">
      <Figure
        name={run('figure.tests')}
        tone={failed ? 'bad' : tests?.total_tests ? 'good' : undefined}
        note={
          !tests ? run('figure.no_tests') : failed ? run('figure.failing', { n: failed }) : percent(tests.pass_rate)
        }
      >
        {tests ? (
          <a href={resources.address.href('tests')}>
            {number(tests.total_tests - failed)}
            <small> / {number(tests.total_tests)}</small>
          </a>
        ) : (
          '–'
        )}
      </Figure>
      {tests && tests.coverage > 0 && <Figure name={run('figure.coverage')}>{percent(tests.coverage)}</Figure>}
      <Figure name={t('figure.plan')} {...(plan && { note: plan.total_estimated_effort })}>
        {plan ? (
          <a href={resources.address.href('plan')}>
            {done}
            <small> / {plan.tasks.length}</small>
          </a>
        ) : (
          '–'
        )}
      </Figure>
      <Figure name={t('figure.files')}>
        <a href={resources.address.href('changes')}>{changes?.total_files ?? 0}</a>
      </Figure>
      <SpendingFigures budget={budget} />
    </dl>
  )
}

interface LaneProps {
  resources: CycleResources
  role: Role
  state: AgentState
  engine: CycleEngine
  now: number
}

/** One role: who plays it, what it does now, what it said last, what it wrote. Of the same height whatever it says. */
function Lane({ resources, role, state, engine, now }: LaneProps) {
  const steps = currentSteps(engine, role)
  return (
    <section class={`card lane tone-${ROLE_TONES[state.status]} ${state.status}`} aria-label={roleTitle(role)}>
      <header>
        <h3>
          <abbr class="mono" title={roleTitle(role)}>
            {role}
          </abbr>{' '}
          <a
            href={resources.address.href(`transcript-${role}`)}
            title={t('lane.transcript', { role: roleTitle(role) })}
          >
            {roleTitle(role)}
          </a>
        </h3>
        <span class={`badge tone-${ROLE_TONES[state.status]}`}>
          <i class={`dot${state.status === 'running' ? ' live' : ''}`} aria-hidden="true" />
          {statusWords(state.status)}
        </span>
      </header>
      <ul class="lane-steps">
        {steps.map(({ step, task, at }) => (
          <li key={`${step} ${task}`}>
            {stepWords(step)} {task && <code>{task}</code>}
            <span class="muted"> {duration(Math.max(0, now - Date.parse(at)) / 1000)}</span>
          </li>
        ))}
        {steps.length === 0 && <li class="muted">{t(restWords(state, engine.called.includes(role)))}</li>}
      </ul>
      <p
        class={`lane-message small${state.error ? ' bad' : ''}`}
        title={state.error ?? state.last_message ?? undefined}
      >
        <Ticked text={state.error ?? state.last_message ?? ''} />
      </p>
      <footer class="row small muted">
        <span>{engine.roles?.[role] ?? engine.settings.agent}</span>
        <span>{t('lane.files', { n: state.output_files.length })}</span>
        <span>{t('lane.iterations', { n: state.iterations_completed })}</span>
      </footer>
    </section>
  )
}

/** Why it does nothing at the moment. */
function restWords(state: AgentState, isCalled: boolean): `lane.${'done' | 'failed' | 'waits' | 'idle'}` {
  if (state.status === 'completed') return 'lane.done'
  if (state.status === 'failed') return 'lane.failed'
  return state.status === 'waiting' || isCalled ? 'lane.waits' : 'lane.idle'
}

function Settings({ cycle }: { cycle: Cycle }) {
  const { settings, roles, parallel, allow_test_changes } = cycle.engine
  return (
    <SettingsCard
      lines={[
        ...ROLES.map((role) => [roleTitle(role), roles?.[role] ?? settings.agent] as const),
        [t('settings.parallel'), String(parallel)],
        ...settingLines(settings, allow_test_changes),
        [t('settings.turn'), duration(settings.action_timeout)],
        [run('settings.created'), moment(cycle.created_at)],
        [run('settings.completed'), cycle.completed_at && moment(cycle.completed_at)],
      ]}
    />
  )
}
