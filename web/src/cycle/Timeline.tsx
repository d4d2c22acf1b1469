// Every step in its time: who worked beside whom, and what came of it.
import { useState } from 'preact/hooks'
import { Awaited } from '../run/absent'
import { duration } from '../run/format'
import { t as run } from '../run/i18n'
import { useHeld } from '../run/resource'
import { StepRow } from '../run/StepRow'
import { lasted, type Tone, toneOf } from '../run/steps'
import { useNow } from '../run/useNow'
import { resultWords, roleTitle, stepWords, t } from './i18n'
import { partsOf, roleOf } from './steps'
import { tracksOf } from './tracks'
import type { RoleStep, Section, Watched } from './watch'

const AT_ONCE = 100

export function Timeline({ seen, view }: Section) {
  const timeline = useHeld(seen.timeline)
  const now = useNow(timeline.data?.some((step) => step.ended_at === null) === true && view.live)
  const tasks = new Map(view.cycle.plan?.tasks.map((task) => [task.id, task.description]))
  return (
    <Awaited held={timeline} onRetry={seen.timeline.touch}>
      {(steps) =>
        steps.length === 0 ? (
          <p class="empty">{run('timeline.empty')}</p>
        ) : (
          <section class="stack" aria-label={t('tab.timeline')}>
            <Tracks steps={steps} now={now} />
            <Steps seen={seen} steps={steps} tasks={tasks} now={now} />
          </section>
        )
      }
    </Awaited>
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
                title={`${stepWords(partsOf(step.action).step)} ${step.task ?? ''} · ${duration(lasted(step, now) / 1000)}`}
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

interface Stepping {
  seen: Watched
  steps: readonly RoleStep[]
  tasks: ReadonlyMap<string, string>
  now: number
}

function Steps({ seen, steps, tasks, now }: Stepping) {
  const [most, setMost] = useState(AT_ONCE)
  return (
    <>
      <ol class="steps wide">
        {steps
          .slice(-most)
          .toReversed()
          .map((step) => {
            const { step: name, task } = partsOf(step.action)
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
                  role === 'cd' && step.checkpoint !== null ? seen.place.href(`changes-step-${step.checkpoint}`) : null
                }
              />
            )
          })}
      </ol>
      {steps.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + AT_ONCE)}>
          {run('timeline.earlier', { n: steps.length - most })}
        </button>
      )}
    </>
  )
}
