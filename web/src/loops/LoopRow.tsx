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
    <li class="loop-row">
      <div class="loop-status">
        <StatusBadge loop={loop} />
      </div>
      <div class="loop-name">
        <a href={href}>{loop.title}</a>
        <p class="muted small">
          <Details loop={loop} several={several} />
        </p>
      </div>
      <div class="loop-needs">
        {loop.needs && loop.needs !== 'resume' && <span class="badge tone-warn">{t(`needs.${loop.needs}`)}</span>}
      </div>
      <Progress loop={loop} />
      <Tests loop={loop} />
      <div class="loop-changed muted small">
        <Ago at={loop.updated_at} />
      </div>
    </li>
  )
}

/** What it does now, or why it ended; then where it is and by whom. */
function Details({ loop, several }: { loop: BriefLoop; several: boolean }) {
  const doing = loop.status === 'running' && loop.action ? t(`action.${loop.action}`) : null
  const parked = loop.parked_until ? t('loops.until', { time: clockTime(loop.parked_until) }) : null
  const parts = [doing, parked, loop.failure_reason, several ? loop.project : null, loop.agent, t(`mode.${loop.mode}`)]
  return <>{parts.filter((part) => part !== null).join(' · ')}</>
}

function Progress({ loop }: { loop: BriefLoop }) {
  const { total, completed, failed } = loop.tasks
  return (
    <div class="loop-progress">
      <Meter
        total={total}
        parts={[
          { tone: 'good', count: completed },
          { tone: 'bad', count: failed },
        ]}
      />
      <span class="small">{total > 0 ? t('loops.tasks', { done: completed, n: total }) : t('loops.no_tasks')}</span>
      <span class="small muted">
        {t('loops.iterations', { at: loop.current_iteration, most: loop.max_iterations })}
      </span>
    </div>
  )
}

function Tests({ loop: { tests } }: { loop: BriefLoop }) {
  return (
    <div class="loop-tests">
      <Meter
        total={tests?.total ?? 0}
        parts={[
          { tone: 'good', count: tests?.passed ?? 0 },
          { tone: 'bad', count: tests?.failed ?? 0 },
        ]}
      />
      <span class={tests ? 'small' : 'small muted'}>
        {tests ? t('loops.tests', { passed: tests.passed, n: tests.total }) : t('loops.no_tests')}
      </span>
    </div>
  )
}
