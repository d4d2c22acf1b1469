// A decision that is open: one of its options is chosen.
import { useState } from 'preact/hooks'
import type { CycleView, Decision } from '../api/cycles'
import type { Act } from '../app/place'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { t } from './i18n'
import { partsOf } from './steps'

interface Deciding {
  act: Act
  decision: Decision
  view: CycleView
}

export function DecisionForm({ act, decision, view }: Deciding) {
  const { id, description, options } = decision
  const [option, setOption] = useState(options[0] ?? '')
  const { busy, problem, run } = useCommand()
  const held = view.cycle.engine.holds?.[id] ?? []

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run(() => act(`decisions/${encodeURIComponent(id)}`, { option }))
  }
  return (
    <section class="asked card tone-warn" aria-label={t('decide.title', { id })}>
      <h2>{t('decide.title', { id })}</h2>
      <p class="question">{description}</p>
      {held.length > 0 && (
        <p class="muted small">
          {t('decide.holds')} <code>{held.map((key) => partsOf(key).task ?? key).join(', ')}</code>
        </p>
      )}
      <form class="form" onSubmit={submit}>
        <fieldset class="options" aria-label={t('decide.options')}>
          {options.map((one) => (
            <label key={one} class="mode">
              <input
                type="radio"
                name={`decision-${id}`}
                value={one}
                checked={one === option}
                onChange={() => setOption(one)}
              />
              <span>{one}</span>
            </label>
          ))}
        </fieldset>
        <p>
          <button type="submit" class="button primary" disabled={busy || option === ''}>
            {t('decide.send')}
          </button>
        </p>
      </form>
      <ProblemNotice problem={problem} />
    </section>
  )
}
