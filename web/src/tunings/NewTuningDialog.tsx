// A new tuning session: which skill, what is looked for, and what may be mended.
import { useState } from 'preact/hooks'
import { createTuning, DIMENSIONS } from '../api/tunings'
import type { Ref } from '../api/types'
import { acting, tuningPlace } from '../app/place'
import { go } from '../app/router'
import { t as common } from '../i18n'
import { projects } from '../listing/listing'
import { t } from '../tuning/i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { SHELL, useAgents } from '../ui/useAgents'
import { placed, useCommand } from '../ui/useCommand'
import { FIXING, type Fixing, filled } from './form'

const FIELDS = ['path', 'description', 'agent', 'max_iterations'] as const

export function NewTuningDialog({ project: preset, onClose }: { project: string | undefined; onClose: () => void }) {
  const [project, setProject] = useState(preset)
  const [fixing, setFixing] = useState<Fixing>('none')
  const [missing, setMissing] = useState<Partial<Record<(typeof FIELDS)[number], string>>>({})
  const [created, setCreated] = useState<Ref | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const several = projects.value.length > 1
  const there = placed(problem, FIELDS)
  const wrong = there ? { ...missing, [there.field]: there.words } : missing

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const starts = event.submitter?.getAttribute('value') === 'start'
    const { body, errors } = filled(new FormData(event.currentTarget))
    setMissing(Object.fromEntries(Object.entries(errors).map(([name, key]) => [name, t(key)])))
    if (body === null) return
    await run(async () => {
      // Once it is there, "create" again would make a second one: from here on only the start can fail.
      const id = created?.id ?? (await createTuning(body, project)).engine.id
      const at = { id, project: several ? (project ?? projects.value[0]?.name) : undefined }
      setCreated(at)
      if (starts) await acting(tuningPlace(at))('start')
      onClose()
      go(tuningPlace(at).href())
    })
  }

  return (
    <Dialog title={t('list.new')} onClose={onClose} wide>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          {!there && <ProblemNotice problem={problem} />}
          <Field label={t('create.path')} hint={t('create.path_hint')} error={wrong.path}>
            <input class="input mono" name="path" autocomplete="off" spellcheck={false} autofocus />
          </Field>
          <Field
            label={t('create.description')}
            optional={common('field.optional')}
            hint={t('create.description_hint')}
            error={wrong.description}
          >
            <textarea class="input" name="description" rows={2} />
          </Field>
          {several && (
            <Field label={common('create.project')}>
              <select class="input" value={project} onChange={(event) => setProject(event.currentTarget.value)}>
                {projects.value.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </Field>
          )}
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
          <AgentField project={project} error={wrong.agent} />
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
              <Field label={common('create.iterations')} error={wrong.max_iterations}>
                <input class="input" name="max_iterations" inputMode="numeric" autocomplete="off" />
              </Field>
            </div>
          )}
        </div>
        <footer class="dialog-foot">
          <button type="submit" class="button" value="create" disabled={busy}>
            {common('create.create')}
          </button>
          <button type="submit" class="button primary" value="start" disabled={busy}>
            {common('create.start')}
          </button>
        </footer>
      </form>
    </Dialog>
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
        {readers.map(({ name, problem }) => (
          <option key={name} value={name} disabled={problem !== null}>
            {problem === null ? name : common('create.agent.cannot', { name })}
          </option>
        ))}
      </select>
    </Field>
  )
}
