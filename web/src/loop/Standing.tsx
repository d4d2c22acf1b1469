// One line that says how the loop stands.
import type { LoopView, Outcome, Status } from '../api/types'
import { t as common } from '../i18n'
import { moment } from './format'
import { t } from './i18n'
import { percentOf } from './spending'

type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle'

const STATUS: Readonly<Record<Status, Tone>> = {
  created: 'idle',
  running: 'info',
  paused: 'warn',
  completed: 'good',
  failed: 'bad',
  user_exit: 'warn',
}
/** An end that is no success, though the loop is completed. */
const OUTCOME: Readonly<Partial<Record<Outcome, Tone>>> = { unverified: 'warn', stopped: 'idle' }

export function Standing({ view }: { view: LoopView }) {
  const { loop, live, project } = view
  const { outcome, settings } = loop.engine
  const current = loop.skill_state?.current_action
  const isAbandoned = loop.status === 'running' && !live
  const tone = isAbandoned ? 'warn' : ((outcome && OUTCOME[outcome]) ?? STATUS[loop.status])
  return (
    <dl class="standing">
      <div>
        <dt class="sr-only">{t('standing.status')}</dt>
        <dd class={`badge tone-${tone}`}>
          <span class={`dot${live && loop.status === 'running' ? ' live' : ''}`} aria-hidden="true" />
          {common(`status.${loop.status}`)}
          {outcome && ` · ${common(`outcome.${outcome}`)}`}
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
      <div class={isAbandoned ? undefined : 'extra'}>
        <dt>{t('standing.runner')}</dt>
        <dd>{t(isAbandoned ? 'runner.lost' : live ? 'runner.live' : 'runner.none')}</dd>
      </div>
      <div class="extra">
        <dt>{t('standing.changed')}</dt>
        <dd>{moment(loop.updated_at)}</dd>
      </div>
    </dl>
  )
}
