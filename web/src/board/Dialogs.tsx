// The dialogs of the board, one at a time.
import { useEffect, useRef, useState } from 'preact/hooks'
import { generateTasks, importTasks, removeTask } from '../api/tasks'
import type { Loop, LoopTask, Ref } from '../api/types'
import { t } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { Field } from '../ui/Field'
import { FormDialog } from '../ui/FormDialog'
import { ProblemNotice } from '../ui/Notice'
import { SHELL, useAgents } from '../ui/useAgents'
import { fieldProblem, useCommand } from '../ui/useCommand'
import { TaskDialog } from './TaskDialog'

export type Opened =
  | { name: 'add' | 'import' | 'generate' }
  | { name: 'edit'; task: LoopTask }
  | { name: 'remove'; task: LoopTask }

interface DialogsProps {
  at: Ref
  loop: Loop
  opened: Opened | null
  onClose: () => void
  /** What was done, for whoever cannot see it. */
  onTold: (words: string) => void
}

export function Dialogs({ at, loop, opened, onClose, onTold }: DialogsProps) {
  const done = (words: string) => {
    onTold(words)
    onClose()
  }
  switch (opened?.name) {
    case undefined:
      return null
    case 'add':
      return <TaskDialog at={at} loop={loop} task={null} onClose={onClose} />
    case 'edit':
      return <TaskDialog at={at} loop={loop} task={opened.task} onClose={onClose} />
    case 'import':
      return <ImportDialog at={at} onClose={onClose} onDone={done} />
    case 'generate':
      return <GenerateDialog at={at} loop={loop} onClose={onClose} onDone={done} />
    case 'remove':
      return (
        <Confirm
          title={t('board.remove_title')}
          words={opened.task.description}
          command={t('board.remove')}
          act={() => removeTask(at, opened.task.task_id)}
          onClose={onClose}
        />
      )
  }
}

interface ImportDialogProps {
  at: Ref
  onClose: () => void
  onDone: (words: string) => void
}

/** Takes over the tasks that were planned for an issue. */
function ImportDialog({ at, onClose, onDone }: ImportDialogProps) {
  const [issue, setIssue] = useState('')
  const [missing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(problem, ['issue_id'])

  const submit = async () => {
    setMissing(issue.trim() === '')
    if (issue.trim() === '') return
    await run(async () => onDone(t('board.imported', { n: (await importTasks(at, issue.trim())).length })))
  }

  return (
    <FormDialog
      title={t('board.import_title')}
      command={t('board.import')}
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      <p>{t('board.import_words')}</p>
      {!refused && <ProblemNotice problem={problem} />}
      <Field label={t('board.issue')} error={missing ? t('board.issue_missing') : refused?.words}>
        <input class="input" value={issue} autofocus onInput={(event) => setIssue(event.currentTarget.value)} />
      </Field>
    </FormDialog>
  )
}

interface GenerateDialogProps {
  at: Ref
  loop: Loop
  onClose: () => void
  onDone: (words: string) => void
}

/** Lets an agent propose tasks. That takes its time, so the seconds are counted, and nobody has to wait for it. */
function GenerateDialog({ at, loop, onClose, onDone }: GenerateDialogProps) {
  const [count, setCount] = useState('5')
  const [tool, setTool] = useState('')
  const [notNumber, setNotNumber] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const { agents } = useAgents(at.project)
  const refused = fieldProblem(problem, ['count', 'tool'])
  const waiting = useRef(new AbortController())
  useEffect(() => () => waiting.current.abort(), [])

  const submit = async () => {
    const wanted = Number(count)
    setNotNumber(!Number.isFinite(wanted) || count.trim() === '')
    if (!Number.isFinite(wanted) || count.trim() === '') return
    const { signal } = waiting.current
    await run(async () => {
      const tasks = await generateTasks(at, { count: wanted, ...(tool && { tool }) }, signal).catch(unlessLeft)
      if (tasks) onDone(t('board.generated', { n: tasks.length }))
    })
  }

  return (
    <FormDialog
      title={t('board.generate_title')}
      command={t('board.generate')}
      cancel={t(busy ? 'board.generate_stop' : 'dialog.cancel')}
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      <p>{t('board.generate_words')}</p>
      {!refused && <ProblemNotice problem={problem} />}
      <div class="columns">
        <Field label={t('board.tool')} error={refused?.field === 'tool' ? refused.words : null}>
          <select class="input" value={tool} disabled={busy} onChange={(event) => setTool(event.currentTarget.value)}>
            <option value="">{loop.engine.settings.agent}</option>
            {agents
              .filter(({ name, problem }) => problem === null && name !== SHELL && name !== loop.engine.settings.agent)
              .map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </Field>
        <Field
          label={t('board.count')}
          error={notNumber ? t('create.number') : refused?.field === 'count' ? refused.words : null}
        >
          <input
            class="input"
            inputMode="numeric"
            value={count}
            disabled={busy}
            onInput={(event) => setCount(event.currentTarget.value)}
          />
        </Field>
      </div>
      {busy && <Waiting />}
    </FormDialog>
  )
}

function Waiting() {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((n) => n + 1), 1000)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <p class="row tone-info">
      <i class="dot live" aria-hidden="true" />
      {t('board.generating', { n: seconds })}
    </p>
  )
}

/** Whoever closed the dialog wants no answer; the tasks come with the stream all the same. */
function unlessLeft(error: unknown): null {
  if (error instanceof DOMException && error.name === 'AbortError') return null
  throw error
}
