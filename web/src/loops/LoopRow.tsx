// One loop in the list. The title's link covers the whole row.
import type { BriefLoop } from '../api/types'
import { loopHref } from '../app/router'
import { t } from '../i18n'
import { Ago } from '../ui/Ago'
import { Meter } from '../ui/Meter'
import { StatusBadge } from '../ui/StatusBadge'
import { clockTime } from '../ui/time'

export function LoopRow({ loop, several }: { loop: BriefLoop; several: boolean }) {
  const href = loopHref({ id: loop.loop_id, project: several ? loop.project : undefined })
  return (
    <li class="list-row">
      <div class="list-status">
        <StatusBadge loop={loop} />
      </div>
      <div class="list-name">
        <a href={href}>{loop.title}</a>
        <p class="muted small">
          <Details loop={loop} />
        </p>
      </div>
      <div class="list-needs">
        {loop.needs && loop.needs !== 'resume' && <span class="badge tone-warn">{t(`needs.${loop.needs}`)}</span>}
      </div>
      <Progress loop={loop} />
      <Tests loop={loop} />
      <div class="list-changed muted small">
        <Ago at={loop.updated_at} />
      </div>
    </li>
  )
}

/** What it does now, or why it ended; then by whom. */
function Details({ loop }: { loop: BriefLoop }) {
  const doing = loop.status === 'running' && loop.action ? t(`action.${loop.action}`) : null
  const parked = loop.parked_until ? t('loops.until', { time: clockTime(loop.parked_until) }) : null
  const paused = loop.pause ? t(`pause.${loop.pause}`) : null
  const parts = [doing, paused, parked, loop.failure_reason, loop.agent, t(`mode.${loop.mode}`)]
  return <>{parts.filter((part) => part !== null).join(' · ')}</>
}

/** By its tasks; a loop without any is as far as its iterations. */
function Progress({ loop }: { loop: BriefLoop }) {
  const { total, completed, failed } = loop.tasks
  const { current_iteration: at, max_iterations: most } = loop
  const tasks = [
    { tone: 'good', count: completed },
    { tone: 'bad', count: failed },
  ] as const
  return (
    <div class="list-progress">
      <Meter total={total || most} parts={total > 0 ? tasks : [{ tone: 'info', count: at }]} />
      {total > 0 && <span class="small">{t('loops.tasks', { done: completed, n: total })}</span>}
      <span class={total > 0 ? 'small muted' : 'small'}>{t('loops.iterations', { at, most })}</span>
    </div>
  )
}

function Tests({ loop: { tests } }: { loop: BriefLoop }) {
  if (tests === null) return <div class="list-tests small muted">{t('loops.no_tests')}</div>
  return (
    <div class="list-tests">
      <Meter
        total={tests.total}
        parts={[
          { tone: 'good', count: tests.passed },
          { tone: 'bad', count: tests.failed },
        ]}
      />
      <span class="small">{t('loops.tests', { passed: tests.passed, n: tests.total })}</span>
    </div>
  )
}
