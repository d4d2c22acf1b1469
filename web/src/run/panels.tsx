// Small parts that sections are made of.

import type { ComponentChildren, Ref } from 'preact'
import { useState } from 'preact/hooks'
import type { Budget } from '../api/types'
import { duration, money, number } from '../ui/format'
import { t } from './i18n'

interface FoldProps {
  class?: string
  summary: ComponentChildren
  children: ComponentChildren
}

export function Fold({ class: name, summary, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class={name} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  )
}

interface ScrollProps {
  class: string
  label: string
  box?: Ref<HTMLElement>
  onScroll?: () => void
  children: ComponentChildren
}

export function Scroll({ class: name, label, box, onScroll, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class={name} aria-label={label} tabIndex={0} {...(box && { ref: box })} {...(onScroll && { onScroll })}>
      {children}
    </section>
  )
}

interface FigureProps {
  name: string
  tone?: 'good' | 'bad' | undefined
  note?: string
  children: ComponentChildren
}

export function Figure({ name, tone, note, children }: FigureProps) {
  return (
    <div class={tone && `tone-${tone}`}>
      <dt>{name}</dt>
      <dd>
        {children}
        {note && <span class="note">{note}</span>}
      </dd>
    </div>
  )
}

/** What a run has taken so far. */
export function SpendingFigures({ budget: { spent_seconds, cost, tokens } }: { budget: Budget }) {
  return (
    <>
      <Figure name={t('figure.time')}>{duration(spent_seconds)}</Figure>
      {cost !== null && cost !== undefined && <Figure name={t('figure.cost')}>{money(cost)}</Figure>}
      {tokens !== null && tokens !== undefined && <Figure name={t('figure.tokens')}>{number(tokens)}</Figure>}
    </>
  )
}
