// The loop's actions in their order: what each did, how long it took, and what it changed.
import type { Step } from '../api/details'
import { t } from '../run/i18n'
import { durationOf, toneOf, widthsOf } from '../run/steps'
import { StepList, StepRow, TimelineSection } from '../run/Timeline'
import { duration } from '../ui/format'
import type { Section } from './parts'

/** The last steps, side by side: more could not be told from each other. */
const STRIP = 100

export function Timeline({ resources, view }: Section) {
  const { address, parts } = resources
  const tasks = new Map(view.run.engine.tasks.map((task) => [task.task_id, task.description]))
  return (
    <TimelineSection of={parts.timeline} label={t('tab.timeline')} isLive={view.live}>
      {(steps, now) => (
        <>
          <Strip steps={steps.slice(-STRIP)} now={now} />
          <StepList steps={steps}>
            {(step) => (
              <StepRow
                key={step.seq}
                step={step}
                name={step.action}
                task={step.task && (tasks.get(step.task) ?? step.task)}
                tone={toneOf(step)}
                now={now}
                diff={
                  step.checkpoint !== null && step.files.length > 0 ? address.href(`changes-${step.checkpoint}`) : null
                }
              />
            )}
          </StepList>
        </>
      )}
    </TimelineSection>
  )
}

/** All steps side by side, each as wide as it took long. Says nothing that the list does not. */
function Strip({ steps, now }: { steps: readonly Step[]; now: number }) {
  const widths = widthsOf(steps, now)
  return (
    <div class="strip" aria-hidden="true">
      {steps.map((step, at) => (
        <span
          key={step.seq}
          class={`${step.action.toLowerCase()} ${toneOf(step)}`}
          style={{ width: `${widths[at]}%` }}
          title={`${step.action} · ${duration(durationOf(step, now) / 1000)}`}
        />
      ))}
    </div>
  )
}
