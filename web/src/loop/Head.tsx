// The top of the page: what the loop is, how it stands, what it needs, and what can be done with it.
import { Actions } from '../actions/Actions'
import { Asked } from '../actions/Asked'
import type { LoopView } from '../api/types'
import { LOOPS_HREF } from '../app/router'
import { t as common } from '../i18n'
import { moment } from '../run/format'
import { t } from '../run/i18n'
import { Standing } from './Standing'
import type { Watched } from './watch'

export function Head({ seen, view }: { seen: Watched; view: LoopView }) {
  const { loop } = view
  return (
    <header class="head">
      <p class="crumbs small">
        <a href={LOOPS_HREF}>{common('nav.loops')}</a>
        <span aria-hidden="true">/</span>
        <a href={seen.place.href()} class="mono">
          {loop.loop_id}
        </a>
      </p>
      <div class="head-line">
        <h1>{loop.title}</h1>
        <Actions place={seen.place} view={view} />
      </div>
      <Standing view={view} />
      <Asked place={seen.place} view={view} />
      {loop.failure_reason && (
        <p class="notice tone-bad">
          <strong>{t('head.why')}</strong>
          <span>{loop.failure_reason}</span>
        </p>
      )}
      {loop.engine.parked && (
        <p class="notice tone-warn">
          <strong>{t('head.parked', { until: moment(loop.engine.parked.until) })}</strong>
          <span>{loop.engine.parked.reason}</span>
        </p>
      )}
    </header>
  )
}
