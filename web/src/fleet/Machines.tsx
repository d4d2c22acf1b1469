// The machines: how full each is, when it was heard of last, and what it drives.
import type { FleetRun, Machine } from '../api/fleet'
import { Card } from '../run/panels'
import { duration } from '../ui/format'
import { elapsed } from './elapsed'
import { t } from './i18n'
import { RunLink } from './RunLink'

/** Seconds of silence after which a machine is late, and after which the others take it for dead. */
const LATE = 4
const DEAD = 10

export function isAlive({ age }: Machine): boolean {
  return age < DEAD
}

export function Machines({ machines }: { machines: readonly Machine[] }) {
  return (
    <Card id="machines" title={t('machines.title')} class="card fleet-machines">
      {machines.length === 0 ? (
        <p class="card-body muted">
          {t('machines.none')} <code>loopwright fleet worker --slots 2</code>
        </p>
      ) : (
        <ul>
          {machines.map((machine) => (
            <MachineRow key={machine.executor} machine={machine} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function MachineRow({ machine }: { machine: Machine }) {
  const { executor, host, version, started, slots, running, runs } = machine
  return (
    <li class="machine">
      <div class="machine-name">
        <h3>{host}</h3>
        <p class="muted small">
          <span class="mono">{executor}</span> · {version} · {t('machines.since', { time: elapsed(started) })}
        </p>
      </div>
      <div class="machine-slots">
        <Slots taken={running} all={slots} />
        <span class="small">{t('slots', { taken: running, n: slots })}</span>
      </div>
      <Beat machine={machine} />
      {runs.length > 0 ? (
        <ul class="machine-runs">
          {runs.map((run) => (
            <RunLine key={run.id} run={run} />
          ))}
        </ul>
      ) : (
        <p class="machine-runs muted small">{t('machines.idle')}</p>
      )}
    </li>
  )
}

/** A place for each. What it says is in words beside it. */
function Slots({ taken, all }: { taken: number; all: number }) {
  return (
    <span class="slots" aria-hidden="true">
      {Array.from({ length: all }, (_, n) => (
        <i key={n} class={n < taken ? 'taken' : undefined} />
      ))}
    </span>
  )
}

function Beat({ machine }: { machine: Machine }) {
  const { age } = machine
  const time = duration(Math.round(age))
  const [tone, words] = !isAlive(machine)
    ? (['bad', t('machines.dead', { time })] as const)
    : age < LATE
      ? (['good', t('machines.beat', { n: Math.round(age) })] as const)
      : (['warn', t('machines.silent', { time })] as const)
  return (
    <div class="machine-beat">
      <span class={`badge tone-${tone}`}>
        <i class={tone === 'good' ? 'dot live' : 'dot'} aria-hidden="true" />
        {words}
      </span>
    </div>
  )
}

function RunLine({ run }: { run: FleetRun }) {
  return (
    <li>
      <span class="machine-run">
        <RunLink run={run} />
      </span>
      <span class="muted small">
        {run.user} · {run.account} · {t('run.for', { time: elapsed(run.since) })}
      </span>
    </li>
  )
}
