// A decision that is open: one of its options is chosen, or, where it has none, it is made in words.
import { useState } from 'preact/hooks'
import type { Decision } from '../api/cycles'
import type { SendCommand } from '../app/address'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { t } from './i18n'
import type { CycleView } from './parts'
import { parseStepKey } from './steps'

interface DecisionFormProps {
  send: SendCommand
  decision: Decision
  view: CycleView
}

export function DecisionForm({ send, decision, view: { run: cycle } }: DecisionFormProps) {
  const { id, description, options } = decision
  const [option, setOption] = useState(options[0] ?? '')
  const [isMissing, setMissing] = useState(false)
  const { busy, problem, run } = useCommand()
  const held = cycle.engine.holds?.[id] ?? []
  // A cycle that paused for its decisions goes on with the last of them.
  const pending = cycle.coordination.pending_decisions.filter(({ status }) => status === 'pending')
  const resumes = cycle.status === 'paused' && Boolean(cycle.engine.waiting) && pending.length === 1

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(option.trim() === '')
    if (option.trim() === '') return
    void run(async () => {
      await send(`decisions/${encodeURIComponent(id)}`, { option: option.trim() })
      if (resumes) await send('resume')
    })
  }
  return (
    <section class="asked card tone-warn" aria-label={t('decide.title', { id })}>
      <h2>{t('decide.title', { id })}</h2>
      <p class="question">{description}</p>
      {held.length > 0 && (
        <p class="muted small">
          {t('decide.holds')} <code>{held.map((key) => parseStepKey(key).task ?? key).join(', ')}</code>
        </p>
      )}
      <form class="form" noValidate onSubmit={submit}>
        {options.length > 0 ? (
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
        ) : (
          <Field label={t('decide.words')} error={isMissing ? t('decide.missing') : null}>
            <textarea class="input" rows={2} value={option} onInput={(event) => setOption(event.currentTarget.value)} />
          </Field>
        )}
        <p>
          <button type="submit" class="button primary" disabled={busy}>
            {t(resumes ? 'decide.send_resume' : 'decide.send')}
          </button>
        </p>
      </form>
      <ProblemNotice problem={problem} />
    </section>
  )
}
