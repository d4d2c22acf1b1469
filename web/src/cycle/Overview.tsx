// The first tab: the four roles, what is said now, and what it costs.
import type { AgentState, CycleView, Role } from '../api/cycles'
import { documentPath, ROLES } from '../api/cycles'
import { Budget } from '../run/Budget'
import { Description } from '../run/Description'
import { Incidents } from '../run/Incidents'
import { t as run } from '../run/i18n'
import { Result } from '../run/Result'
import { Summary } from '../run/Summary'
import { Talk } from '../run/Talk'
import { useNow } from '../run/useNow'
import { Figures } from './Figures'
import { t } from './i18n'
import { Lane } from './Lane'
import { Settings } from './Settings'
import type { Section, Watched } from './watch'

export function Overview({ seen, view }: Section) {
  const { cycle } = view
  const isOver = cycle.engine.outcome !== null && cycle.engine.outcome !== undefined
  const errors = cycle.phase_errors.map(({ phase, error, timestamp }) => ({ action: phase, message: error, timestamp }))
  const ran = cycle.test_results?.total_tests ?? 0
  return (
    <>
      {isOver && (
        <Result
          place={seen.place}
          diff={seen.diff}
          of={cycle}
          tests={{ passed: ran - (cycle.test_results?.failed_tests.length ?? 0), all: ran }}
          patches={cycle.engine.patches ?? []}
        />
      )}
      <Figures seen={seen} view={view} />
      <Lanes seen={seen} view={view} />
      <div class="halves">
        <div class="stack">
          <Description title={cycle.title} text={cycle.description} />
          {isOver && <Summary path={seen.place.path(documentPath('coordination/summary.md'))} rev={cycle.engine.rev} />}
          <section class="card" aria-labelledby="now-title">
            <header class="card-head">
              <h2 id="now-title">{run(isOver ? 'now.before' : 'now.title')}</h2>
            </header>
            <Talk talk={seen.talk.value} status={cycle.status} isLive={view.live} />
          </section>
        </div>
        <aside class="stack" aria-label={t('overview.aside')}>
          <Budget budget={cycle.engine.budget} />
          <Incidents incidents={cycle.engine.incidents} errors={errors} />
          <Settings view={view} />
        </aside>
      </div>
    </>
  )
}

function Lanes({ seen, view }: { seen: Watched; view: CycleView }) {
  const { agents, engine } = view.cycle
  const now = useNow(view.live && engine.under_way.length > 0)
  const states: Record<Role, AgentState> = agents
  return (
    <section class="lanes" aria-label={t('roles.title')}>
      {ROLES.map((role) => (
        <Lane key={role} seen={seen} role={role} state={states[role]} engine={engine} now={now} />
      ))}
    </section>
  )
}
