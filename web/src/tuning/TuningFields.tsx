// What is asked for a new tuning session: which skill, what is looked for, and what may be fixed.
import { useState } from 'preact/hooks'
import { DIMENSIONS } from '../api/tunings'
import { t as common } from '../i18n'
import type { CreateForm, FieldsProps } from '../lists/ListKind'
import { AgentOptions } from '../lists/RunFields'
import { Field } from '../ui/Field'
import { SHELL, useAgents } from '../ui/useAgents'
import { FIXING, type Fixing, readTuningForm } from './form'
import { t } from './i18n'

export const tuningForm: CreateForm = {
  names: ['path', 'description', 'agent', 'max_iterations'],
  Fields: TuningFields,
  read: (form) => {
    const { body, errors } = readTuningForm(form)
    return { body, errors: Object.fromEntries(Object.entries(errors).map(([name, key]) => [name, t(key)])) }
  },
}

function TuningFields({ project, errors, projectField }: FieldsProps) {
  const [fixing, setFixing] = useState<Fixing>('none')
  return (
    <>
      <Field label={t('create.path')} hint={t('create.path_hint')} error={errors.path}>
        <input class="input mono" name="path" autocomplete="off" spellcheck={false} autofocus />
      </Field>
      <Field
        label={t('create.description')}
        optional={common('field.optional')}
        hint={t('create.description_hint')}
        error={errors.description}
      >
        <textarea class="input" name="description" rows={2} />
      </Field>
      {projectField}
      <fieldset class="modes">
        <legend>{t('create.dimensions')}</legend>
        {DIMENSIONS.map((name) => (
          <label key={name} class="mode">
            <input type="checkbox" name="dimensions" value={name} defaultChecked />
            <span>
              {t(`dimension.${name}`)}
              <small class="hint">{t(`dimension.${name}_hint`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <AgentField project={project} error={errors.agent} />
      <fieldset class="modes">
        <legend>{t('create.fix')}</legend>
        {FIXING.map((name) => (
          <label key={name} class="mode">
            <input
              type="radio"
              name="fix"
              value={name}
              defaultChecked={name === 'none'}
              onChange={() => setFixing(name)}
            />
            <span>
              {t(`create.fix.${name}`)}
              <small class="hint">{t(`create.fix.${name}_hint`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {fixing !== 'none' && (
        <div class="columns uneven">
          <label class="check">
            <input type="checkbox" name="choose" />
            <span>
              {t('create.choose')}
              <small class="hint">{t('create.choose_hint')}</small>
            </span>
          </label>
          <Field label={common('create.iterations')} error={errors.max_iterations}>
            <input class="input" name="max_iterations" inputMode="numeric" autocomplete="off" />
          </Field>
        </div>
      )}
    </>
  )
}

/** Who has no model reads no meaning. */
const NO_READERS: readonly string[] = [SHELL, 'builtin']

function AgentField({ project, error }: { project: string | undefined; error: string | undefined }) {
  const { agents, isGone } = useAgents(project)
  const readers = agents.filter(({ name }) => !NO_READERS.includes(name))
  return (
    <Field
      label={t('create.agent')}
      error={error}
      hint={isGone ? common('create.agents_gone') : t('create.agent_hint')}
    >
      <select class="input" name="agent">
        <option value="">{t('create.agent_none')}</option>
        <AgentOptions agents={readers} />
      </select>
    </Field>
  )
}
