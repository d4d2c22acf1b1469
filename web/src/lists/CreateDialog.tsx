// A new run: what the form of its kind asks for; made, or made and started.
import { useState } from 'preact/hooks'
import type { Problem } from '../api/client'
import { createRun } from '../api/runs'
import type { KindName, Ref } from '../api/types'
import { addressOf, commandsAt } from '../app/address'
import { projects } from '../app/projects'
import { go, runHref } from '../app/router'
import { t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { Notice, ProblemNotice } from '../ui/Notice'
import { fieldProblem, useCommand } from '../ui/useCommand'
import type { CreateForm, Errors, ListKey } from './ListKind'

interface CreateDialogProps {
  kind: { name: KindName; t: (key: ListKey) => string; form: CreateForm }
  project: string | undefined
  onClose: () => void
}

export function CreateDialog({ kind, project: preset, onClose }: CreateDialogProps) {
  const { names, Fields, read } = kind.form
  const title = kind.t('list.new')
  const [project, setProject] = useState(preset)
  const [errors, setErrors] = useState<Errors>({})
  const [created, setCreated] = useState<Ref | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const several = projects.value.length > 1
  const onCreated = (at: Ref) => {
    onClose()
    go(runHref(kind.name, at))
  }
  const refused = fieldProblem(problem, names)

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const form = event.currentTarget
    const starts = event.submitter?.getAttribute('value') === 'start'
    const { body, errors } = read(new FormData(form))
    setErrors(errors)
    const [first] = Object.keys(errors)
    if (first) return focusField(form, first)
    await run(async () => {
      const id = await createRun(kind.name, body, project)
      const at = { id, project: several ? (project ?? projects.value[0]?.name) : undefined }
      // Once it is there, "create" again would make a second one: from here on only the start can fail.
      setCreated(at)
      if (starts) await commandsAt(addressOf(kind.name, at))('start')
      onCreated(at)
    })
  }

  if (created && problem) return <NotStarted title={title} problem={problem} onGo={() => onCreated(created)} />
  return (
    <Dialog title={title} onClose={onClose} wide>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          {!refused && <ProblemNotice problem={problem} />}
          <Fields
            project={project}
            errors={refused ? { ...errors, [refused.field]: refused.words } : errors}
            projectField={several && <ProjectField project={project} onPick={setProject} />}
          />
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

function ProjectField({ project, onPick }: { project: string | undefined; onPick: (project: string) => void }) {
  return (
    <Field label={t('create.project')}>
      <select class="input" value={project} onChange={(event) => onPick(event.currentTarget.value)}>
        {projects.value.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
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
