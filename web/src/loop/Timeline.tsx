// The loop's actions in their order: what each did, how long it took, and what it changed.
import { useState } from 'preact/hooks'
import { Awaited } from '../run/absent'
import { duration } from '../run/format'
import { t } from '../run/i18n'
import { useHeld } from '../run/resource'
import { StepRow } from '../run/StepRow'
import type { Step } from '../run/shapes'
import { lasted, shares, toneOf } from '../run/steps'
import { useNow } from '../run/useNow'
import type { Section } from './watch'

const AT_ONCE = 100
/** The last steps, side by side: more could not be told from each other. */
const STRIP = 100

export function Timeline({ seen, view }: Section) {
  const timeline = useHeld(seen.timeline)
  const [most, setMost] = useState(AT_ONCE)
  const now = useNow(timeline.data?.some((step) => step.ended_at === null) === true && view.live)
  const tasks = new Map(view.loop.engine.tasks.map((task) => [task.task_id, task.description]))
  return (
    <Awaited held={timeline} onRetry={seen.timeline.touch}>
      {(steps) =>
        steps.length === 0 ? (
          <p class="empty">{t('timeline.empty')}</p>
        ) : (
          <section class="stack" aria-label={t('tab.timeline')}>
            <Strip steps={steps.slice(-STRIP)} now={now} />
            <ol class="steps">
              {steps
                .slice(-most)
                .toReversed()
                .map((step) => (
                  <StepRow
                    key={step.seq}
                    step={step}
                    name={step.action}
                    task={step.task && (tasks.get(step.task) ?? step.task)}
                    tone={toneOf(step)}
                    now={now}
                    diff={
                      step.checkpoint !== null && step.files.length > 0
                        ? seen.place.href(`changes-${step.checkpoint}`)
                        : null
                    }
                  />
                ))}
            </ol>
            {steps.length > most && (
              <button type="button" class="button" onClick={() => setMost(most + AT_ONCE)}>
                {t('timeline.earlier', { n: steps.length - most })}
              </button>
            )}
          </section>
        )
      }
    </Awaited>
  )
}

/** All steps side by side, each as wide as it took long. Says nothing that the list does not. */
function Strip({ steps, now }: { steps: readonly Step[]; now: number }) {
  const widths = shares(steps, now)
  return (
    <div class="strip" aria-hidden="true">
      {steps.map((step, at) => (
        <span
          key={step.seq}
          class={`${step.action.toLowerCase()} ${toneOf(step)}`}
          style={{ width: `${widths[at]}%` }}
          title={`${step.action} · ${duration(lasted(step, now) / 1000)}`}
        />
      ))}
    </div>
  )
}
