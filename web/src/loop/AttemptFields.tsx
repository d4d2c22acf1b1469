// How many attempts at the task are made, and by whom: what only a loop is asked.
import { fieldText } from '../lists/form'
import type { FieldsProps } from '../lists/ListKind'
import { Field } from '../ui/Field'
import { SHELL, useAgents } from '../ui/useAgents'
import { t } from './i18n'

const ATTEMPTS = ['2', '3', '4', '6', '8'] as const
const PARALLEL = ['1', '2', '3', '4'] as const

export function AttemptFields({ project, errors }: FieldsProps) {
  const { agents } = useAgents(project)
  const usable = agents.filter(({ name, problem }) => name !== SHELL && problem === null)
  return (
    <details class="fold">
      <summary>{t('create.attempts_fold')}</summary>
      <div class="form">
        <div class="columns">
          <Field label={t('create.attempts')} hint={t('create.attempts_hint')} error={errors.attempts}>
            <select class="input" name="attempts">
              <option value="">{t('create.attempts_one')}</option>
              {ATTEMPTS.map((count) => (
                <option key={count}>{count}</option>
              ))}
            </select>
          </Field>
          <Field label={t('create.attempts_parallel')} error={errors.parallel}>
            <select class="input" name="parallel">
              <option value="">2</option>
              {PARALLEL.filter((count) => count !== '2').map((count) => (
                <option key={count}>{count}</option>
              ))}
            </select>
          </Field>
        </div>
        <fieldset class="checks">
          <legend>{t('create.attempts_agents')}</legend>
          {usable.map(({ name }) => (
            <label key={name} class="check">
              <input type="checkbox" name="agents" value={name} />
              <span>{name}</span>
            </label>
          ))}
          {errors.agents && <p class="error">{errors.agents}</p>}
        </fieldset>
        <label class="check">
          <input type="checkbox" name="run_all" />
          <span>
            {t('create.attempts_all')}
            <small class="hint">{t('create.attempts_all_hint')}</small>
          </span>
        </label>
      </div>
    </details>
  )
}

/** Nothing where one attempt is made. */
export function readAttempts(form: FormData): object {
  const attempts = fieldText(form, 'attempts')
  if (!attempts) return {}
  const parallel = fieldText(form, 'parallel')
  const agents = form.getAll('agents')
  return {
    attempts: Number(attempts),
    ...(parallel && { parallel: Number(parallel) }),
    ...(agents.length > 0 && { agents }),
    ...(form.get('run_all') !== null && { run_all: true }),
  }
}
