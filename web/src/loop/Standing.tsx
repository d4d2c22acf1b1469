// One line that says how the loop stands.
import type { LoopView } from '../api/types'
import { t as common } from '../i18n'
import { moment } from '../run/format'
import { t } from '../run/i18n'
import { pauseOf } from '../run/pause'
import { runnerOf } from '../run/runner'
import { percentOf } from '../run/spending'
import { now } from '../ui/time'
import { look } from '../ui/tones'

export function Standing({ view }: { view: LoopView }) {
  const { loop, live, project } = view
  const { outcome, parked, settings } = loop.engine
  const current = loop.skill_state?.current_action
  const runner = runnerOf(loop.status, live, Math.max(now.value, Date.now()) - Date.parse(loop.updated_at))
  const shown = look({ status: loop.status, outcome: outcome ?? null, parked_until: parked?.until ?? null })
  const pause = pauseOf(loop)
  return (
    <dl class="standing">
      <div>
        <dt class="sr-only">{t('standing.status')}</dt>
        <dd class={`badge tone-${runner === 'lost' ? 'warn' : shown.tone}`} data-status={loop.status}>
          <span class={`dot${live && shown.live ? ' live' : ''}`} aria-hidden="true" />
          {common(shown.words)}
          {pause && ` · ${common(`pause.${pause}`)}`}
          {loop.status === 'running' && current && ` · ${t(`action.${current}`)}`}
        </dd>
      </div>
      <div>
        <dt>{t('standing.iteration')}</dt>
        <dd>
          {loop.current_iteration} / {loop.max_iterations}
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${percentOf(loop.current_iteration, loop.max_iterations)}%` }} />
          </span>
        </dd>
      </div>
      <div>
        <dt>{t('standing.agent')}</dt>
        <dd>{settings.agent}</dd>
      </div>
      <div>
        <dt>{t('standing.project')}</dt>
        <dd>{project}</dd>
      </div>
      <div class={runner === 'lost' ? undefined : 'extra'}>
        <dt>{t('standing.runner')}</dt>
        <dd>{t(`runner.${runner}`)}</dd>
      </div>
      <div class="extra">
        <dt>{t('standing.changed')}</dt>
        <dd>{moment(loop.updated_at)}</dd>
      </div>
    </dl>
  )
}
