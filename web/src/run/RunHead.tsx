// The top of a run's page: what it is, how it stands, what it needs, and what can be done with it.
import { CommandBar } from '../actions/CommandBar'
import type { FleetPlace, RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import { fleetHref, listHref } from '../app/router'
import { standsWhere } from '../fleet/place'
import { t as common } from '../i18n'
import { moment, now } from '../ui/format'
import { t } from './i18n'
import { percentOf } from './limits'
import { Fact } from './panels'
import type { RunKind, RunSummary } from './RunKind'
import type { AnyParts } from './resources'
import { runnerOf } from './standing'

interface RunHeadProps<State, Parts extends AnyParts<Parts>> {
  kind: RunKind<State, Parts>
  address: RunAddress
  view: RunView<State>
  /** Which one is open. */
  section: string
}

export function RunHead<State, Parts extends AnyParts<Parts>>({
  kind,
  address,
  view,
  section,
}: RunHeadProps<State, Parts>) {
  const summary = kind.summaryOf(view.run)
  const { id, title, reason, parked } = summary
  return (
    <header class="head">
      <p class="crumbs small">
        <a href={listHref(kind.name)}>{common(`nav.${kind.name}`)}</a>
        <span aria-hidden="true">/</span>
        <a href={address.href()} class="mono">
          {id}
        </a>
      </p>
      <div class="head-line">
        <h1>{title}</h1>
        <CommandBar kind={kind} address={address} view={view} />
      </div>
      <Standing summary={summary} view={view} />
      <kind.Requests address={address} view={view} section={section} />
      {view.fleet?.trouble && (
        <p class="notice tone-warn">
          <strong>{t('head.trouble')}</strong>
          <span>{view.fleet.trouble}</span>
        </p>
      )}
      {reason && (
        <p class="notice tone-bad">
          <strong>{t('head.why')}</strong>
          <span>{reason}</span>
        </p>
      )}
      {parked && (
        <p class="notice tone-warn">
          <strong>{t('head.parked', { until: moment(parked.until) })}</strong>
          <span>{parked.reason}</span>
        </p>
      )}
    </header>
  )
}

/** One line that says how the run stands. */
function Standing({
  summary,
  view,
}: {
  summary: RunSummary
  view: Pick<RunView<unknown>, 'live' | 'project' | 'fleet'>
}) {
  const { project, fleet } = view
  const live = view.live && fleet?.status !== 'queued'
  const { status, look, pause, doing, waits, iteration, limit, facts, changedAt } = summary
  const quiet = changedAt ? Math.max(now.value, Date.now()) - Date.parse(changedAt) : 0
  const runner = waits && !live ? 'none' : runnerOf(status, live, quiet)
  const isLost = runner === 'lost' && !fleet
  return (
    <dl class="standing">
      <div>
        <dt class="sr-only">{t('standing.status')}</dt>
        <dd class={`badge tone-${isLost ? 'warn' : look.tone}`} data-status={status}>
          <span class={`dot${live && look.live ? ' live' : ''}`} aria-hidden="true" />
          {look.words}
          {pause && ` · ${common(`pause.${pause}`)}`}
          {doing && ` · ${doing}`}
        </dd>
      </div>
      <Fact name={t('standing.iteration')}>
        {iteration} / {limit}
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${percentOf(iteration, limit)}%` }} />
        </span>
      </Fact>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      <Fact name={t('standing.project')}>{project}</Fact>
      {fleet ? (
        <FleetFacts place={fleet} project={project} />
      ) : (
        <div class={isLost ? undefined : 'extra'}>
          <dt>{t('standing.runner')}</dt>
          <dd>{t(`runner.${runner}`)}</dd>
        </div>
      )}
      {changedAt && (
        <div class="extra">
          <dt>{t('standing.changed')}</dt>
          <dd>{moment(changedAt)}</dd>
        </div>
      )}
    </dl>
  )
}

/** Where a run is that other machines drive. */
function FleetFacts({ place, project }: { place: FleetPlace; project: string }) {
  return (
    <>
      <Fact name={place.holder ? t('standing.machine') : common('nav.fleet')}>
        <a href={fleetHref(project)}>{standsWhere(place)}</a>
      </Fact>
      <Fact name={t('standing.account')}>{place.account}</Fact>
      <Fact name={t('standing.user')}>{place.user}</Fact>
    </>
  )
}
