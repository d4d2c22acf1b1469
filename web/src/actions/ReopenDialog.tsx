// Lets what has ended run on, with more room where it ran out of it.
import { useState } from 'preact/hooks'
import { locale, t } from '../i18n'
import { type LimitedRun, limitsOf, type RunLimit } from '../run/limits'
import { Field } from '../ui/Field'
import { FormDialog } from '../ui/FormDialog'
import { ProblemNotice } from '../ui/Notice'
import { fieldProblem, useCommand } from '../ui/useCommand'

const LABELS = {
  max_iterations: 'create.iterations',
  max_minutes: 'create.minutes',
  max_tokens: 'create.tokens',
  max_cost: 'create.cost',
} as const

type Limits = Partial<Record<RunLimit['name'], number>>

interface ReopenDialogProps {
  title: string
  words: string
  of: LimitedRun
  reopen: (limits: Limits) => Promise<unknown>
  onClose: () => void
}

export function ReopenDialog({ title, words, of, reopen, onClose }: ReopenDialogProps) {
  const [limits] = useState(() => limitsOf(of))
  const [missing, setMissing] = useState<RunLimit['name'] | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(
    problem,
    limits.map(({ name }) => name),
  )

  const submit = async (event: SubmitEvent) => {
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    const wanted: Limits = {}
    for (const { name, proposed, isReached } of limits) {
      const given = String(form.get(name) ?? '').trim()
      const value = Number(given)
      if (given !== '' && !Number.isFinite(value)) return setMissing(name)
      // What is as it was is not sent, so that nobody else's change of it is undone.
      if (given !== '' && (isReached || value !== proposed)) wanted[name] = value
    }
    setMissing(null)
    if (await run(() => reopen(wanted))) onClose()
  }

  return (
    <FormDialog
      title={title}
      command={t('do.reopen_now')}
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      <p>{words}</p>
      {!refused && <ProblemNotice problem={problem} />}
      <div class="columns">
        {limits.map((used) => (
          <Field
            key={used.name}
            label={t(LABELS[used.name])}
            hint={t('do.used', { used: round(used.used) })}
            error={refused?.field === used.name ? refused.words : missing === used.name ? t('create.number') : null}
          >
            <input
              class="input"
              name={used.name}
              inputMode="decimal"
              autocomplete="off"
              defaultValue={used.proposed === null ? '' : String(used.proposed)}
              placeholder={t('do.no_limit')}
            />
          </Field>
        ))}
      </div>
    </FormDialog>
  )
}

function round(value: number): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: 2 }).format(value)
}
