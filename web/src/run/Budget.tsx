// What was spent, against the limits.
import type { Budget as BudgetState } from '../api/types'
import { duration, money, number } from './format'
import { t } from './i18n'
import { type Limit, percentOf, type Used, usedOf } from './spending'

const SPOKEN: Readonly<Record<Limit, (amount: number) => string>> = {
  minutes: (minutes) => duration(60 * minutes),
  tokens: (tokens) => number(tokens),
  cost: money,
}

/** From here on a limit deserves attention. Percent. */
const NEAR = 80

export function Budget({ budget }: { budget: BudgetState }) {
  return (
    <section class="card" aria-labelledby="budget-title">
      <header class="card-head">
        <h2 id="budget-title">{t('budget.title')}</h2>
      </header>
      <dl class="card-body facts">
        {usedOf(budget).map((used) => (
          <Line key={used.name} used={used} />
        ))}
      </dl>
    </section>
  )
}

function Line({ used: { name, spent, limit } }: { used: Used }) {
  const speak = SPOKEN[name]
  const share = spent !== null && limit !== null ? percentOf(spent, limit) : null
  return (
    <div>
      <dt>{t(`budget.${name}`)}</dt>
      <dd>
        {spent === null ? t('budget.unknown') : speak(spent)}
        {limit !== null && <span class="muted"> / {speak(limit)}</span>}
        {share !== null && (
          <span class={`meter${share >= NEAR ? ' near' : ''}`} aria-hidden="true">
            <span style={{ width: `${share}%` }} />
          </span>
        )}
      </dd>
    </div>
  )
}
