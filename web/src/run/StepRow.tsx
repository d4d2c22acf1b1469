// One step from its start to its end: what it did, how long it took, and what it changed.
import type { ComponentChildren } from 'preact'
import { duration, moment, money, number } from './format'
import { t } from './i18n'
import type { Step } from './shapes'
import { lasted, type Tone } from './steps'
import { Ticked } from './Ticked'

interface Stepping {
  step: Step
  /** What it was, in words. */
  name: ComponentChildren
  task: string | null
  tone: Tone
  now: number
  /** Where its changes are shown. */
  diff: string | null
}

export function StepRow({ step, name, task, tone, now, diff }: Stepping) {
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
            {name}
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
        {diff && <a href={diff}>{t('timeline.diff')}</a>}
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
