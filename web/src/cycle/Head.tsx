// The top of the page: what the cycle is, how it stands, what it needs, and what can be done with it.
import type { CycleView } from '../api/cycles'
import { CYCLES_HREF } from '../app/router'
import { t as common } from '../i18n'
import { moment } from '../run/format'
import { t as run } from '../run/i18n'
import { Actions } from './Actions'
import { Asked } from './Asked'
import { Standing } from './Standing'
import type { Watched } from './watch'

export function Head({ seen, view, tab }: { seen: Watched; view: CycleView; tab: string }) {
  const { cycle } = view
  return (
    <header class="head">
      <p class="crumbs small">
        <a href={CYCLES_HREF}>{common('nav.cycles')}</a>
        <span aria-hidden="true">/</span>
        <a href={seen.place.href()} class="mono">
          {cycle.cycle_id}
        </a>
      </p>
      <div class="head-line">
        <h1>{cycle.title}</h1>
        <Actions place={seen.place} view={view} />
      </div>
      <Standing view={view} />
      <Asked seen={seen} view={view} tab={tab} />
      {cycle.failure_reason && (
        <p class="notice tone-bad">
          <strong>{run('head.why')}</strong>
          <span>{cycle.failure_reason}</span>
        </p>
      )}
      {cycle.engine.parked && (
        <p class="notice tone-warn">
          <strong>{run('head.parked', { until: moment(cycle.engine.parked.until) })}</strong>
          <span>{cycle.engine.parked.reason}</span>
        </p>
      )}
    </header>
  )
}
