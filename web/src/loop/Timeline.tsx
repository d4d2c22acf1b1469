// The loop's actions in their order: what each did, how long it took, and what it changed.
import { useEffect, useState } from 'preact/hooks'
import { loopHref } from '../app/router'
import { Awaited } from './absent'
import { duration, moment, money, number } from './format'
import { t } from './i18n'
import { useHeld } from './resource'
import type { Step } from './shapes'
import { lasted, shares, toneOf } from './steps'
import type { Section } from './Tabbed'
import { Ticked } from './Ticked'
import type { Watched } from './watch'

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
                    seen={seen}
                    step={step}
                    task={step.task && (tasks.get(step.task) ?? step.task)}
                    now={now}
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

function StepRow({ seen, step, task, now }: { seen: Watched; step: Step; task: string | null; now: number }) {
  const tone = toneOf(step)
  return (
    <li class={`step ${tone}`}>
      <div class="step-number" title={t('timeline.iteration', { n: step.iteration })}>
        <span class="sr-only">{t('timeline.iteration', { n: step.iteration })}</span>
        <span aria-hidden="true">{step.iteration}</span>
      </div>
      <div class="step-main">
        <p class="step-line">
          <strong class="action">
            <span class="dot" aria-hidden="true" />
            {step.action}
          </strong>
          <span class="result">
            {step.ended_at === null ? t('timeline.under_way') : <Ticked text={step.result ?? ''} />}
          </span>
        </p>
        {task && <p>{task}</p>}
        {step.reasons.map((reason) => (
          <Reason key={reason} text={reason} />
        ))}
        {step.files.length > 0 && (
          <ul class="step-files">
            {step.files.map(({ file, action }) => (
              <li key={file}>
                <span class={`change ${action}`} title={deed(action)} aria-hidden="true" />
                <code>{file}</code>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="step-side small">
        <span>{duration(lasted(step, now) / 1000)}</span>
        <time class="muted" dateTime={step.started_at}>
          {moment(step.started_at)}
        </time>
        {step.tokens !== null && <span class="muted">{t('timeline.tokens', { n: number(step.tokens) })}</span>}
        {step.cost !== null && <span class="muted">{money(step.cost)}</span>}
        {step.checkpoint !== null && step.files.length > 0 && (
          <a href={loopHref(seen.at, `changes-${step.checkpoint}`)}>{t('timeline.diff')}</a>
        )}
      </div>
    </li>
  )
}

/** What was done to a file; a word that is not known here stays as it is. */
function deed(action: string): string {
  return action === 'create' || action === 'modify' || action === 'delete' ? t(`timeline.${action}`) : action
}

const LONG = 240

/** A list of every failing test is long; its beginning says enough. */
function Reason({ text }: { text: string }) {
  if (text.length <= LONG) return <p class="reason">{text}</p>
  return (
    <details class="reason">
      <summary>{text.slice(0, LONG)}…</summary>
      {text}
    </details>
  )
}

/** The time, once a second while something is under way. */
function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [isTicking])
  return now
}
