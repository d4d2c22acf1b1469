// A task to add or to change.
import { useState } from 'preact/hooks'
import { addTask, editTask, type NewTask } from '../api/tasks'
import type { Loop, LoopTask, Ref, TaskMode } from '../api/types'
import { t } from '../i18n'
import { Field } from '../ui/Field'
import { FormDialog } from '../ui/FormDialog'
import { Notice, ProblemNotice } from '../ui/Notice'
import { SHELL, useAgents } from '../ui/useAgents'
import { fieldProblem, useCommand } from '../ui/useCommand'

const MODES: readonly TaskMode[] = ['write', 'analysis', 'review']
const ON_ERROR = ['continue', 'pause', 'fail_fast'] as const
const FIELDS = ['description', 'tool', 'mode', 'prompt_template', 'command', 'on_error'] as const

interface TaskDialogProps {
  at: Ref
  loop: Loop
  /** Null for a new one. */
  task: LoopTask | null
  onClose: () => void
}

export function TaskDialog({ at, loop, task, onClose }: TaskDialogProps) {
  const [tool, setTool] = useState(task?.tool ?? loop.engine.settings.agent)
  const [missing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(problem, FIELDS)
  const wrong = (name: (typeof FIELDS)[number]) => (refused?.field === name ? refused.words : null)

  const submit = async (event: SubmitEvent) => {
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const body = readTaskForm(new FormData(event.currentTarget))
    setMissing(body.description === '')
    if (body.description === '') return
    if (await run(() => (task ? editTask(at, task.task_id, body) : addTask(at, body)))) onClose()
  }

  return (
    <FormDialog
      title={t(task ? 'board.edit_title' : 'board.add_title')}
      command={t(task ? 'dialog.save' : 'board.add')}
      wide
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      {problem?.status === 409 && <Notice tone="warn">{t('board.gone')}</Notice>}
      {!refused && <ProblemNotice problem={problem} />}
      <Field label={t('board.task')} error={missing ? t('board.task_missing') : wrong('description')}>
        <textarea class="input" name="description" rows={3} autofocus defaultValue={task?.description} />
      </Field>
      <div class="columns three">
        <Field label={t('board.tool')} error={wrong('tool')}>
          <ToolSelect at={at} value={tool} onPick={setTool} />
        </Field>
        <Field label={t('board.mode')} error={wrong('mode')}>
          <select class="input" name="mode" defaultValue={task?.mode ?? 'write'}>
            {MODES.map((mode) => (
              <option key={mode} value={mode} selected={mode === (task?.mode ?? 'write')}>
                {t(`board.mode.${mode}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('board.on_error')} error={wrong('on_error')}>
          <select class="input" name="on_error">
            {ON_ERROR.map((name) => (
              <option key={name} value={name} selected={name === (task?.on_error ?? 'continue')}>
                {t(`board.on_error.${name}`)}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {tool === SHELL ? (
        <Field label={t('board.command')} hint={t('board.command_hint')} error={wrong('command')}>
          <input class="input mono" name="command" spellcheck={false} defaultValue={task?.command ?? ''} />
        </Field>
      ) : (
        <Field
          label={t('board.prompt')}
          optional={t('field.optional')}
          hint={t('board.prompt_hint')}
          error={wrong('prompt_template')}
        >
          <textarea class="input" name="prompt_template" rows={4} defaultValue={task?.prompt_template} />
        </Field>
      )}
    </FormDialog>
  )
}

/** With the one that is chosen, also where the list of agents does not have it (any more). */
function ToolSelect({ at, value, onPick, ...rest }: { at: Ref; value: string; onPick: (tool: string) => void }) {
  const { agents } = useAgents(at.project)
  const names = [...new Set([value, ...agents.map(({ name }) => name), SHELL])]
  const unusable = new Set(agents.filter(({ problem }) => problem !== null).map(({ name }) => name))
  return (
    <select class="input" name="tool" {...rest} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {unusable.has(name) ? t('create.agent.cannot', { name }) : name}
        </option>
      ))}
    </select>
  )
}

function readTaskForm(form: FormData): NewTask {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const command = text('command')
  return {
    description: text('description'),
    tool: text('tool'),
    mode: MODES.find((mode) => mode === text('mode')) ?? 'write',
    prompt_template: text('prompt_template'),
    on_error: ON_ERROR.find((name) => name === text('on_error')) ?? 'continue',
    ...(command && { command }),
  }
}
