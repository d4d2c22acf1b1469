// One cycle in the list: its roles as four lights, and how far it is. The title's link covers the whole row.
import type { BriefCycle, BriefRole } from '../api/cycles'
import { cycleHref } from '../app/router'
import { roleTitle, statusWords, stepWords, t } from '../cycle/i18n'
import { ROLE_TONES } from '../cycle/tones'
import { t as common } from '../i18n'
import { Ago } from '../ui/Ago'
import { Meter } from '../ui/Meter'
import { StatusBadge } from '../ui/StatusBadge'
import { clockTime } from '../ui/time'

export function CycleRow({ cycle, several }: { cycle: BriefCycle; several: boolean }) {
  const href = cycleHref({ id: cycle.cycle_id, project: several ? cycle.project : undefined })
  return (
    <li class="list-row">
      <div class="list-status">
        <StatusBadge loop={cycle} />
      </div>
      <div class="list-name">
        <a href={href}>{cycle.title}</a>
        <p class="muted small">
          <Details cycle={cycle} />
        </p>
      </div>
      <div class="list-needs">
        {cycle.needs && cycle.needs !== 'resume' && <span class="badge tone-warn">{t(`needs.${cycle.needs}`)}</span>}
      </div>
      <div class="list-progress">
        <Lights roles={cycle.roles} />
        <span class="small">
          {common('loops.iterations', { at: cycle.current_iteration, most: cycle.max_iterations })}
        </span>
        {cycle.tasks.total > 0 && (
          <span class="small muted">
            {common('loops.tasks', { done: cycle.tasks.completed, n: cycle.tasks.total })}
          </span>
        )}
      </div>
      <Tests cycle={cycle} />
      <div class="list-changed muted small">
        <Ago at={cycle.updated_at} />
      </div>
    </li>
  )
}

/** What its roles do now, or why it ended; then by whom. */
function Details({ cycle }: { cycle: BriefCycle }) {
  const steps = cycle.roles.flatMap(({ steps }) => steps)
  const doing =
    cycle.status === 'running' ? [...new Set(steps.map(({ step }) => stepWords(step)))].join(', ') || null : null
  const parked = cycle.parked_until ? common('loops.until', { time: clockTime(cycle.parked_until) }) : null
  const agents = [...new Set(cycle.roles.map(({ agent }) => agent))].join(', ')
  const paused = cycle.pause ? common(`pause.${cycle.pause}`) : null
  const parts = [doing, paused, parked, cycle.failure_reason, agents, common(`mode.${cycle.mode}`)]
  return <>{parts.filter(Boolean).join(' · ')}</>
}

function Lights({ roles }: { roles: readonly BriefRole[] }) {
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

function Tests({ cycle: { tests } }: { cycle: BriefCycle }) {
  if (tests === null) return <div class="list-tests small muted">{common('loops.no_tests')}</div>
  const passed = tests.total - tests.failed
  return (
    <div class="list-tests">
      <Meter
        total={tests.total}
        parts={[
          { tone: 'good', count: passed },
          { tone: 'bad', count: tests.failed },
        ]}
      />
      <span class="small">{common('loops.tests', { passed, n: tests.total })}</span>
    </div>
  )
}
