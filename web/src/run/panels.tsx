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

/** Closed until somebody wants it; what is inside is only drawn then. */
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

/** Something that scrolls inside of the page, also by keyboard. */
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

/** A number with its name above it. */
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

interface FactProps {
  name: ComponentChildren
  class?: string | undefined
  children: ComponentChildren
}

/** A line of a list of facts. */
export function Fact({ name, class: look, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={look}>{children}</dd>
    </div>
  )
}

interface CardProps {
  /** The card is labelled by its title, whose id follows from this. */
  id: string
  title: ComponentChildren
  /** Beside the title. */
  head?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A card with its title, and something beside that. */
export function Card({ id, title, head, class: look = 'card', children }: CardProps) {
  return (
    <section class={look} aria-labelledby={`${id}-title`}>
      <header class="card-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {head}
      </header>
      {children}
    </section>
  )
}
