// What is asked for a new loop or cycle: its task, and how it shall be carried out.
import type { ComponentChildren } from 'preact'
import type { Agent, Mode } from '../api/types'
import { t } from '../i18n'
import { Field } from '../ui/Field'
import { SHELL, useAgents } from '../ui/useAgents'
import { FIELDS, PERMISSIONS, PROOF, REQUIRE, readRunForm } from './form'
import type { CreateForm, Errors, FieldsProps } from './ListKind'

interface RunFormKind {
  t: (key: `create.${'hint' | 'agent' | 'mode.auto' | 'mode.interactive'}`) => string
  /** Fields that only one kind has, and what was filled in there. */
  more?: { Fields: (props: FieldsProps) => ComponentChildren; read: (form: FormData) => object }
}

export function runForm({ t: own, more }: RunFormKind): CreateForm {
  return {
    names: FIELDS,
    Fields: (props) => <RunFields {...props} t={own} more={more && <more.Fields {...props} />} />,
    read: (form) => {
      const { body, errors } = readRunForm(form)
      const words = Object.entries(errors).map(([name, key]) => [name, t(key)])
      return { body: { ...body, ...more?.read(form) }, errors: Object.fromEntries(words) }
    },
  }
}

function RunFields({
  t: own,
  project,
  errors,
  projectField,
  more,
}: FieldsProps & Pick<RunFormKind, 't'> & { more: ComponentChildren }) {
  return (
    <>
      <Field label={t('create.task')} hint={own('create.hint')} error={errors.description}>
        <textarea class="input" name="description" rows={4} autofocus />
      </Field>
      <Field label={t('create.name')} optional={t('field.optional')} hint={t('create.name_hint')} error={errors.title}>
        <input class="input" name="title" maxLength={100} autocomplete="off" />
      </Field>
      {projectField}
      <Modes hint={(mode) => own(`create.mode.${mode}`)} />
      <div class="columns">
        <AgentField label={own('create.agent')} project={project} error={errors.agent} />
        <Field label={t('create.permissions')} error={errors.permissions}>
          <Choice name="permissions" fallback={t('create.permissions.default')}>
            {PERMISSIONS.map((name) => [name, t(`create.permissions.${name}`)])}
          </Choice>
        </Field>
      </div>
      <div class="columns">
        <OwnField name="model" error={errors.model} />
        <OwnField name="effort" error={errors.effort} />
      </div>
      <div class="columns uneven">
        <Field
          label={t('create.tests')}
          optional={t('field.optional')}
          hint={t('create.tests_hint')}
          error={errors.test_command}
        >
          <input class="input mono" name="test_command" autocomplete="off" spellcheck={false} />
        </Field>
        <NumberField name="max_iterations" label={t('create.iterations')} error={errors.max_iterations} />
      </div>
      {more}
      <Limits errors={errors} />
    </>
  )
}

const MODES: readonly Mode[] = ['auto', 'interactive']

/** `hint` says what each mode means. */
function Modes({ hint }: { hint: (mode: Mode) => string }) {
  return (
    <fieldset class="modes">
      <legend>{t('create.mode')}</legend>
      {MODES.map((mode) => (
        <label key={mode} class="mode">
          <input type="radio" name="mode" value={mode} defaultChecked={mode === 'auto'} />
          <span>
            {t(`create.mode.${mode}`)}
            <small class="hint">{hint(mode)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface AgentFieldProps {
  label: string
  project: string | undefined
  error: string | undefined
}

function AgentField({ label, project, error }: AgentFieldProps) {
  const { agents: all, isGone } = useAgents(project)
  // That one runs the command of a task; nobody gives it a whole loop.
  const agents = all.filter(({ name }) => name !== SHELL)
  return (
    <Field label={label} error={error} hint={isGone ? t('create.agents_gone') : <UnusableAgents agents={agents} />}>
      <select class="input" name="agent">
        <option value="">{t('create.agent.default')}</option>
        <AgentOptions agents={agents} />
      </select>
    </Field>
  )
}

export function AgentOptions({ agents }: { agents: readonly Agent[] }) {
  return (
    <>
      {agents.map(({ name, problem }) => (
        <option key={name} value={name} disabled={problem !== null}>
          {problem === null ? name : t('create.agent.cannot', { name })}
        </option>
      ))}
    </>
  )
}

/** The agents that cannot be used, each with the reason. */
function UnusableAgents({ agents }: { agents: readonly Agent[] }) {
  const missing = agents.filter(({ problem }) => problem !== null)
  if (missing.length === 0) return null
  return (
    <details>
      <summary>{t('create.agents_why')}</summary>
      <ul class="reasons">
        {missing.map(({ name, problem }) => (
          <li key={name}>{problem?.startsWith(name) ? problem : `${name}: ${problem}`}</li>
        ))}
      </ul>
    </details>
  )
}

function Limits({ errors }: { errors: Errors }) {
  return (
    <details class="fold">
      <summary>{t('create.more')}</summary>
      <div class="form">
        <div class="columns three">
          <NumberField name="max_minutes" label={t('create.minutes')} error={errors.max_minutes} />
          <NumberField name="max_tokens" label={t('create.tokens')} error={errors.max_tokens} />
          <NumberField name="max_cost" label={t('create.cost')} error={errors.max_cost} />
        </div>
        <div class="columns">
          <Field label={t('create.require')} error={errors.require}>
            <Choice name="require" fallback={t('create.require.default')}>
              {REQUIRE.map((name) => [name, t(`create.require.${name}`)])}
            </Choice>
          </Field>
          <Field label={t('create.proof')} error={errors.proof}>
            <Choice name="proof" fallback={t('create.proof.auto')}>
              {PROOF.map((name) => [name, t(`create.proof.${name}`)])}
            </Choice>
          </Field>
          <NumberField name="min_coverage" label={t('create.coverage')} error={errors.min_coverage} />
          <NumberField name="min_mutation_score" label={t('create.mutation_score')} error={errors.min_mutation_score} />
          <NumberField name="min_diff_coverage" label={t('create.diff_coverage')} error={errors.min_diff_coverage} />
        </div>
        <label class="check">
          <input type="checkbox" name="allow_test_changes" />
          <span>
            {t('create.test_changes')}
            <small class="hint">{t('create.test_changes_hint')}</small>
          </span>
        </label>
      </div>
    </details>
  )
}

interface ChoiceProps {
  name: string
  /** What an empty choice means. */
  fallback: string
  children: readonly (readonly [string, string])[]
}

function Choice({ name, fallback, children, ...rest }: ChoiceProps) {
  return (
    <select class="input" name={name} {...rest}>
      <option value="">{fallback}</option>
      {children.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** What the agent has by itself holds where it is left empty. */
function OwnField({ name, error }: { name: 'model' | 'effort'; error: string | undefined }) {
  return (
    <Field label={t(`create.${name}`)} optional={t('field.optional')} hint={t(`create.${name}_hint`)} error={error}>
      <input class="input mono" name={name} autocomplete="off" spellcheck={false} />
    </Field>
  )
}

function NumberField({ name, label, error }: { name: string; label: string; error: string | undefined }) {
  return (
    <Field label={label} error={error}>
      <input class="input" name={name} inputMode="decimal" autocomplete="off" />
    </Field>
  )
}
