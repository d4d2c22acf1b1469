// The top of the page: which skill it is, how the session stands, and what it needs.
import { Permissions } from '../actions/Permissions'
import type { TuningView } from '../api/tunings'
import { acting } from '../app/place'
import { TUNINGS_HREF } from '../app/router'
import { t as common } from '../i18n'
import { moment } from '../run/format'
import { t as run } from '../run/i18n'
import { runnerOf } from '../run/runner'
import { percentOf } from '../run/spending'
import { now } from '../ui/time'
import { Actions } from './Actions'
import { titleOf } from './findings'
import { said, t } from './i18n'
import { lookOf } from './tones'
import type { Watched } from './watch'

export function Head({ seen, view, tab }: { seen: Watched; view: TuningView; tab: string }) {
  const { tuning } = view
  const { engine, status } = tuning
  return (
    <header class="head">
      <p class="crumbs small">
        <a href={TUNINGS_HREF}>{common('nav.tunings')}</a>
        <span aria-hidden="true">/</span>
        <a href={seen.place.href()} class="mono">
          {engine.id}
        </a>
      </p>
      <div class="head-line">
        <h1>{titleOf(tuning)}</h1>
        <Actions place={seen.place} view={view} />
      </div>
      <Standing view={view} />
      {status === 'running' && engine.asked.length > 0 && (
        <Permissions act={acting(seen.place)} requests={engine.asked} />
      )}
      {status === 'running' && engine.waiting && tab !== 'fixes' && (
        <p class="notice tone-warn">
          <strong>{t('fixes.choose_words', { n: engine.waiting.options.length })}</strong>
          <a href={seen.place.href('fixes')}>{t('fixes.look')}</a>
        </p>
      )}
      {engine.reason && (
        <p class="notice tone-bad">
          <strong>{run('head.why')}</strong>
          <span>{engine.reason}</span>
        </p>
      )}
    </header>
  )
}

function Standing({ view: { tuning, live, project } }: { view: TuningView }) {
  const { engine, status, iteration_count, max_iterations, updated_at, quality_gate: gate } = tuning
  const shown = lookOf({ status, outcome: engine.outcome ?? null, gate })
  const changed = updated_at ?? engine.created_at ?? null
  const quiet = changed ? Math.max(now.value, Date.now()) - Date.parse(changed) : 0
  const runner = status === 'pending' ? 'none' : runnerOf(status, live, quiet)
  const isLost = runner === 'lost' && !engine.waiting
  const doing = [...new Set(engine.under_way.map(({ step }) => said(`action.${step}`, step)))].join(', ')
  return (
    <dl class="standing">
      <div>
        <dt class="sr-only">{run('standing.status')}</dt>
        <dd class={`badge tone-${isLost || engine.waiting ? 'warn' : shown.tone}`} data-status={status}>
          <span class={`dot${live && shown.live ? ' live' : ''}`} aria-hidden="true" />
          {engine.waiting ? t('needs.choice') : shown.words}
          {doing && <span> · {doing}</span>}
        </dd>
      </div>
      <div>
        <dt>{run('standing.iteration')}</dt>
        <dd>
          {iteration_count} / {max_iterations}
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${percentOf(iteration_count, max_iterations)}%` }} />
          </span>
        </dd>
      </div>
      <div>
        <dt>{run('standing.project')}</dt>
        <dd>{project}</dd>
      </div>
      <div class={isLost ? undefined : 'extra'}>
        <dt>{run('standing.runner')}</dt>
        <dd>{run(`runner.${engine.waiting && !live ? 'none' : runner}`)}</dd>
      </div>
      {changed && (
        <div class="extra">
          <dt>{run('standing.changed')}</dt>
          <dd>{moment(changed)}</dd>
        </div>
      )}
    </dl>
  )
}
