// One line that says how the cycle stands.
import type { CycleView } from '../api/cycles'
import { t as common } from '../i18n'
import { moment } from '../run/format'
import { t as run } from '../run/i18n'
import { pauseOf } from '../run/pause'
import { runnerOf } from '../run/runner'
import { percentOf } from '../run/spending'
import { now } from '../ui/time'
import { look } from '../ui/tones'
import { t } from './i18n'

export function Standing({ view }: { view: CycleView }) {
  const { cycle, live, project } = view
  const { outcome, parked, queue } = cycle.engine
  const runner = runnerOf(cycle.status, live, Math.max(now.value, Date.now()) - Date.parse(cycle.updated_at))
  const shown = look({ status: cycle.status, outcome: outcome ?? null, parked_until: parked?.until ?? null })
  const pause = pauseOf(cycle)
  return (
    <dl class="standing">
      <div>
        <dt class="sr-only">{run('standing.status')}</dt>
        <dd class={`badge tone-${runner === 'lost' ? 'warn' : shown.tone}`} data-status={cycle.status}>
          <span class={`dot${live && shown.live ? ' live' : ''}`} aria-hidden="true" />
          {common(shown.words)}
          {pause && ` · ${common(`pause.${pause}`)}`}
        </dd>
      </div>
      <div>
        <dt>{run('standing.iteration')}</dt>
        <dd>
          {cycle.current_iteration} / {cycle.max_iterations}
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${percentOf(cycle.current_iteration, cycle.max_iterations)}%` }} />
          </span>
        </dd>
      </div>
      {queue.length > 0 && (
        <div>
          <dt>{t('standing.queue')}</dt>
          <dd>{t('standing.queued', { n: queue.length })}</dd>
        </div>
      )}
      <div>
        <dt>{run('standing.project')}</dt>
        <dd>{project}</dd>
      </div>
      <div class={runner === 'lost' ? undefined : 'extra'}>
        <dt>{run('standing.runner')}</dt>
        <dd>{run(`runner.${runner}`)}</dd>
      </div>
      <div class="extra">
        <dt>{run('standing.changed')}</dt>
        <dd>{moment(cycle.updated_at)}</dd>
      </div>
    </dl>
  )
}
