// What happened step by step: each from its start to its end, with what it did and what it changed.
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Step } from '../api/details'
import { duration, money, number } from '../ui/format'
import { Moment } from '../ui/times'
import { t } from './i18n'
import { Loaded } from './Loaded'
import { type Resource, useResource } from './resource'
import { durationOf, type Tone } from './steps'
import { Ticked } from './text'

/** Steps that are shown at once. */
const AT_ONCE = 100

interface TimelineSectionProps<S extends Step> {
  of: Resource<S[]>
  label: string
  isLive: boolean
  children: (steps: readonly S[], now: number) => ComponentChildren
}

export function TimelineSection<S extends Step>({ of, label, isLive, children }: TimelineSectionProps<S>) {
  const { data } = useResource(of)
  const now = useNow(data?.some((step) => step.ended_at === null) === true && isLive)
  return (
    <Loaded of={of}>
      {(steps) =>
        steps.length === 0 ? (
          <p class="empty">{t('timeline.empty')}</p>
        ) : (
          <section class="stack" aria-label={label}>
            {children(steps, now)}
          </section>
        )
      }
    </Loaded>
  )
}

interface StepListProps<S extends Step> {
  steps: readonly S[]
  isWide?: boolean
  children: (step: S) => JSX.Element
}

/** The latest first. */
export function StepList<S extends Step>({ steps, isWide = false, children }: StepListProps<S>) {
  const [most, setMost] = useState(AT_ONCE)
  return (
    <>
      <ol class={isWide ? 'steps wide' : 'steps'}>{steps.slice(-most).toReversed().map(children)}</ol>
      {steps.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + AT_ONCE)}>
          {t('timeline.earlier', { n: steps.length - most })}
        </button>
      )}
    </>
  )
}

interface StepRowProps {
  step: Step
  /** What it was, in words. */
  name: ComponentChildren
  task: string | null
  tone: Tone
  now: number
  /** Where its changes are shown. */
  diff: string | null
}

/** One step: what it did, how long it took, and what it changed. */
export function StepRow({ step, name, task, tone, now, diff }: StepRowProps) {
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
        <span>{duration(durationOf(step, now) / 1000)}</span>
        <Moment class="muted" at={step.started_at} />
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

/** The time, once a second while something is under way. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [isTicking])
  return now
}
