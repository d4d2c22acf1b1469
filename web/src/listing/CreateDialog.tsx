// A new loop or cycle: its task, and how it shall be carried out.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../api/client'
import type { NewRun } from '../api/loops'
import type { Mode, Ref } from '../api/types'
import { acting, type Place } from '../app/place'
import { go } from '../app/router'
import { t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { Notice, ProblemNotice } from '../ui/Notice'
import { SHELL, useAgents } from '../ui/useAgents'
import { placed, useCommand } from '../ui/useCommand'
import { Agents } from './Agents'
import { Choice, Modes } from './Choices'
import { type Errors, FIELDS, filled, PERMISSIONS, PROOF, REQUIRE } from './form'
import { projects } from './listing'

interface Creating {
  title: string
  hint: string
  modeHint: (mode: Mode) => string
  /** What the agent of this field does. */
  agentLabel: string
  /** Answers with the id. */
  create: (body: NewRun, form: FormData, project: string | undefined) => Promise<string>
  place: (at: Ref) => Place
  project: string | undefined
  onClose: () => void
  /** Fields that only one kind has. */
  more?: (project: string | undefined, wrong: Errors) => ComponentChildren
}

export function CreateDialog(creating: Creating) {
  const { title, hint, modeHint, agentLabel, create, place, project: preset, onClose, more } = creating
  const [project, setProject] = useState(preset)
  const [errors, setErrors] = useState<Errors>({})
  const [created, setCreated] = useState<Ref | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const several = projects.value.length > 1
  const onCreated = (at: Ref) => {
    onClose()
    go(place(at).href())
  }
  const there = placed(problem, FIELDS)
  const wrong: Errors = there ? { ...errors, [there.field]: there.words } : errors

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = event.currentTarget
    const starts = event.submitter?.getAttribute('value') === 'start'
    const data = new FormData(form)
    const { body, errors } = filled(data)
    setErrors(Object.fromEntries(Object.entries(errors).map(([name, key]) => [name, t(key)])))
    const [first] = Object.keys(errors)
    if (first) return focusField(form, first)
    await run(async () => {
      const id = await create(body, data, project)
      const at = { id, project: several ? (project ?? projects.value[0]?.name) : undefined }
      // Once it is there, "create" again would make a second one: from here on only the start can fail.
      setCreated(at)
      if (starts) await acting(place(at))('start')
      onCreated(at)
    })
  }

  if (created && problem) return <NotStarted title={title} problem={problem} onGo={() => onCreated(created)} />
  return (
    <Dialog title={title} onClose={onClose} wide>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          {!there && <ProblemNotice problem={problem} />}
          <Field label={t('create.task')} hint={hint} error={wrong.description}>
            <textarea class="input" name="description" rows={4} autofocus />
          </Field>
          <Field
            label={t('create.name')}
            optional={t('field.optional')}
            hint={t('create.name_hint')}
            error={wrong.title}
          >
            <input class="input" name="title" maxLength={100} autocomplete="off" />
          </Field>
          {several && (
            <Field label={t('create.project')}>
              <select class="input" value={project} onChange={(event) => setProject(event.currentTarget.value)}>
                {projects.value.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </Field>
          )}
          <Modes hint={modeHint} />
          <div class="columns">
            <AgentField label={agentLabel} project={project} error={wrong.agent} />
            <Field label={t('create.permissions')} error={wrong.permissions}>
              <Choice name="permissions" fallback={t('create.permissions.default')}>
                {PERMISSIONS.map((name) => [name, t(`create.permissions.${name}`)])}
              </Choice>
            </Field>
          </div>
          <div class="columns uneven">
            <Field
              label={t('create.tests')}
              optional={t('field.optional')}
              hint={t('create.tests_hint')}
              error={wrong.test_command}
            >
              <input class="input mono" name="test_command" autocomplete="off" spellcheck={false} />
            </Field>
            <NumberField name="max_iterations" label={t('create.iterations')} error={wrong.max_iterations} />
          </div>
          {more?.(project, wrong)}
          <More wrong={wrong} />
        </div>
        <footer class="dialog-foot">
          <button type="submit" class="button" value="create" disabled={busy}>
            {t('create.create')}
          </button>
          <button type="submit" class="button primary" value="start" disabled={busy}>
            {t('create.start')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function AgentField({
  label,
  project,
  error,
}: {
  label: string
  project: string | undefined
  error: string | undefined
}) {
  const { agents: all, isGone } = useAgents(project)
  // That one runs the command of a task; nobody gives it a whole loop.
  const agents = all.filter(({ name }) => name !== SHELL)
  return (
    <Field label={label} error={error} hint={isGone ? t('create.agents_gone') : <Agents agents={agents} />}>
      <select class="input" name="agent">
        <option value="">{t('create.agent.default')}</option>
        {agents.map(({ name, problem }) => (
          <option key={name} value={name} disabled={problem !== null}>
            {problem === null ? name : t('create.agent.cannot', { name })}
          </option>
        ))}
      </select>
    </Field>
  )
}

function More({ wrong }: { wrong: Errors }) {
  return (
    <details class="fold">
      <summary>{t('create.more')}</summary>
      <div class="form">
        <div class="columns three">
          <NumberField name="max_minutes" label={t('create.minutes')} error={wrong.max_minutes} />
          <NumberField name="max_tokens" label={t('create.tokens')} error={wrong.max_tokens} />
          <NumberField name="max_cost" label={t('create.cost')} error={wrong.max_cost} />
        </div>
        <div class="columns">
          <Field label={t('create.require')} error={wrong.require}>
            <Choice name="require" fallback={t('create.require.default')}>
              {REQUIRE.map((name) => [name, t(`create.require.${name}`)])}
            </Choice>
          </Field>
          <Field label={t('create.proof')} error={wrong.proof}>
            <Choice name="proof" fallback={t('create.proof.auto')}>
              {PROOF.map((name) => [name, t(`create.proof.${name}`)])}
            </Choice>
          </Field>
          <NumberField name="min_coverage" label={t('create.coverage')} error={wrong.min_coverage} />
          <NumberField name="min_mutation_score" label={t('create.mutation_score')} error={wrong.min_mutation_score} />
          <NumberField name="min_diff_coverage" label={t('create.diff_coverage')} error={wrong.min_diff_coverage} />
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

function NumberField({ name, label, error }: { name: string; label: string; error: string | undefined }) {
  return (
    <Field label={label} error={error}>
      <input class="input" name={name} inputMode="decimal" autocomplete="off" />
    </Field>
  )
}

function NotStarted({ title, problem, onGo }: { title: string; problem: Problem; onGo: () => void }) {
  return (
    <Dialog title={title} onClose={onGo}>
      <div class="dialog-body">
        <Notice tone="bad">{t('create.not_started', { words: problem.message })}</Notice>
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button primary" onClick={onGo}>
          {t('dialog.close')}
        </button>
      </footer>
    </Dialog>
  )
}

function focusField(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name)
  if (!(field instanceof HTMLElement)) return
  const folded = field.closest('details')
  if (folded) folded.open = true
  field.focus()
}
