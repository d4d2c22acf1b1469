// Every step in its time: who worked beside whom, and what came of it.
import { durationOf, type Tone, toneOf } from '../run/steps'
import { StepList, StepRow, TimelineSection } from '../run/Timeline'
import { duration } from '../ui/format'
import { resultWords, roleTitle, stepWords, t } from './i18n'
import type { RoleStep, Section } from './parts'
import { parseStepKey, roleOf } from './steps'
import { tracksOf } from './tracks'

export function Timeline({ resources, view }: Section) {
  const { address, parts } = resources
  const tasks = new Map(view.run.plan?.tasks.map((task) => [task.id, task.description]))
  return (
    <TimelineSection of={parts.timeline} label={t('tab.timeline')} isLive={view.live}>
      {(steps, now) => (
        <>
          <Tracks steps={steps} now={now} />
          <StepList steps={steps} isWide>
            {(step) => {
              const { step: name, task } = parseStepKey(step.action)
              const id = step.task ?? task
              const role = roleOf(name)
              return (
                <StepRow
                  key={step.seq}
                  step={{ ...step, result: step.result && resultWords(step.result) }}
                  name={
                    <>
                      {role && (
                        <abbr class="mono" title={roleTitle(role)}>
                          {role}
                        </abbr>
                      )}{' '}
                      {stepWords(name)}
                    </>
                  }
                  task={id && [id, tasks.get(id)].filter(Boolean).join(' · ')}
                  tone={stepTone(step)}
                  now={now}
                  diff={
                    role === 'cd' && step.checkpoint !== null ? address.href(`changes-step-${step.checkpoint}`) : null
                  }
                />
              )
            }}
          </StepList>
        </>
      )}
    </TimelineSection>
  )
}

/** A track for each role, each step as long as it took. Says nothing that the list does not. */
function Tracks({ steps, now }: { steps: readonly RoleStep[]; now: number }) {
  const tracks = tracksOf(steps, now)
  return (
    <div class="tracks card" aria-hidden="true">
      {tracks.map(({ role, bars }, at) => (
        <div key={`${role} ${at}`} class="track">
          <span class="mono small muted">{role ?? '·'}</span>
          <div class="track-bars">
            {bars.map(({ step, left, width }) => (
              <i
                key={step.seq}
                class={stepTone(step)}
                style={{ left: `${left}%`, width: `${width}%` }}
                title={`${stepWords(parseStepKey(step.action).step)} ${step.task ?? ''} · ${duration(durationOf(step, now) / 1000)}`}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

/** A step that ended, and did not fail, ended well: its words say what came of it. */
function stepTone(step: RoleStep): Tone {
  const tone = toneOf(step)
  return tone === 'neutral' ? 'good' : tone
}
