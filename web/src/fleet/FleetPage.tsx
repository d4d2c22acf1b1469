// The fleet: its machines, accounts and queue, as they are now; and how they were, where there is no news.
import { useMemo } from 'preact/hooks'
import type { Problem } from '../api/client'
import { type Fleet, readFleet } from '../api/fleet'
import { fleets, projects, readProjects } from '../app/projects'
import { fleetHref, go } from '../app/router'
import { t as common } from '../i18n'
import { Figure } from '../run/panels'
import { createResource, useRefreshing, useResource } from '../run/resource'
import { useNow } from '../run/Timeline'
import { LoadingRun } from '../run/Unavailable'
import { clock, duration, number } from '../ui/format'
import { Notice, ProblemNotice } from '../ui/Notice'
import { Picker } from '../ui/Picker'
import { Accounts } from './Accounts'
import { t } from './i18n'
import { isAlive, Machines } from './Machines'
import { Queue } from './Queue'

/** Machines say every second that they live. Milliseconds. */
const PAUSE = 2000

/** `fleet`: null where none is named; `at`: when it was read. */
interface Look {
  fleet: Fleet | null
  at: number
}

/** `project`: one that names it, where there are several. */
export function FleetPage({ project }: { project: string | undefined }) {
  const resource = useMemo(() => createResource(() => look(project)), [project])
  const { data, problem } = useResource(resource)
  useRefreshing(resource, data !== null && data.fleet === null ? 0 : PAUSE)
  return (
    <div class="fleet stack">
      <div class="row spread">
        <div class="row">
          <h1>{t('title')}</h1>
          {fleets.value.length > 1 && (
            <Picker
              label={t('project')}
              value={fleetOf(project) ?? ''}
              options={fleets.value.map((name) => [name, name] as const)}
              onPick={(picked) => go(fleetHref(picked))}
            />
          )}
        </div>
        {data?.fleet && <Freshness at={data.at} isOld={problem !== null} />}
      </div>
      {data?.fleet && problem && <Away at={data.at} problem={problem} />}
      {data === null && problem && <ProblemNotice problem={problem} retry={resource.touch} />}
      {data === null && !problem && <LoadingRun />}
      {data !== null && (data.fleet ? <Sight fleet={data.fleet} isOld={problem !== null} /> : <None />)}
    </div>
  )
}

async function look(project: string | undefined): Promise<Look> {
  if (projects.value.length === 0) await readProjects()
  const named = fleetOf(project)
  const fleet = named ? await readFleet(named) : null
  return { fleet, at: Date.now() }
}

/** The fleet that the project names, or the first. */
function fleetOf(project: string | undefined): string | null {
  if (project === undefined) return fleets.value[0] ?? null
  return projects.value.find(({ name }) => name === project)?.fleet ?? null
}

function Sight({ fleet, isOld }: { fleet: Fleet; isOld: boolean }) {
  return (
    <div class={`stack${isOld ? ' old' : ''}`}>
      <Figures fleet={fleet} />
      <div class="fleet-parts">
        <Machines machines={fleet.workers} />
        <Accounts accounts={fleet.accounts} />
        <Queue queue={fleet.queue} accounts={fleet.accounts} />
      </div>
    </div>
  )
}

function Figures({ fleet: { workers, runs } }: { fleet: Fleet }) {
  const alive = workers.filter(isAlive)
  const silent = workers.length - alive.length
  const sum = (of: 'slots' | 'running') => alive.reduce((all, one) => all + one[of], 0)
  return (
    <dl class="figures">
      <Figure name={t('machines.title')} {...(silent > 0 && { tone: 'bad', note: t('figure.silent', { n: silent }) })}>
        {number(alive.length)}
      </Figure>
      <Figure name={t('figure.slots')}>
        {number(sum('running'))}
        <small> / {number(sum('slots'))}</small>
      </Figure>
      <Figure name={t('waiting')}>{number(runs.queued ?? 0)}</Figure>
      <Figure name={t('figure.resting')} {...(runs.resting && { note: t('figure.resting_note') })}>
        {number(runs.resting ?? 0)}
      </Figure>
      <Figure name={t('figure.finished')}>{number(runs.finished ?? 0)}</Figure>
    </dl>
  )
}

function Freshness({ at, isOld }: { at: number; isOld: boolean }) {
  const now = useNow(isOld)
  return (
    <span class={`badge tone-${isOld ? 'warn' : 'good'}`}>
      <i class={isOld ? 'dot' : 'dot live'} aria-hidden="true" />
      {isOld
        ? t('fresh.old', { age: duration(Math.max(1, Math.round((now - at) / 1000))) })
        : t('fresh.live', { time: clock(new Date(at).toISOString()) })}
    </span>
  )
}

function Away({ at, problem }: { at: number; problem: Problem }) {
  return (
    <Notice tone="warn" title={t('away.title')}>
      <span>{problem.isOffline ? common('problem.offline') : problem.message}</span>
      <span>{t('away.words', { time: clock(new Date(at).toISOString()) })}</span>
    </Notice>
  )
}

function None() {
  return (
    <section class="blank card">
      <h2>{t('none.title')}</h2>
      <p>{t('none.words')}</p>
      <p class="muted small">
        {t('none.how')} <code>LOOPWRIGHT_FLEET_URL=postgresql://USER@HOST/DATABASE</code>
      </p>
    </section>
  )
}
