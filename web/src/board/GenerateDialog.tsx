// Lets an agent propose tasks. That takes its time, so the seconds are counted, and nobody has to wait for it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { generateTasks } from '../api/loops'
import type { Loop, Ref } from '../api/types'
import { t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { SHELL, useAgents } from '../ui/useAgents'
import { placed, useCommand } from '../ui/useCommand'

interface Generating {
  at: Ref
  loop: Loop
  onClose: () => void
  onDone: (words: string) => void
}

export function GenerateDialog({ at, loop, onClose, onDone }: Generating) {
  const [count, setCount] = useState('5')
  const [tool, setTool] = useState('')
  const [notNumber, setNotNumber] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const { agents } = useAgents(at.project)
  const there = placed(problem, ['count', 'tool'])
  const waiting = useRef(new AbortController())
  useEffect(() => () => waiting.current.abort(), [])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
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
    <Dialog title={t('board.generate_title')} onClose={onClose}>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          <p>{t('board.generate_words')}</p>
          {!there && <ProblemNotice problem={problem} />}
          <div class="columns">
            <Field label={t('board.tool')} error={there?.field === 'tool' ? there.words : null}>
              <select
                class="input"
                value={tool}
                disabled={busy}
                onChange={(event) => setTool(event.currentTarget.value)}
              >
                <option value="">{loop.engine.settings.agent}</option>
                {agents
                  .filter(
                    ({ name, problem }) => problem === null && name !== SHELL && name !== loop.engine.settings.agent,
                  )
                  .map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
              </select>
            </Field>
            <Field
              label={t('board.count')}
              error={notNumber ? t('create.number') : there?.field === 'count' ? there.words : null}
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
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {t(busy ? 'board.generate_stop' : 'dialog.cancel')}
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {t('board.generate')}
          </button>
        </footer>
      </form>
    </Dialog>
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
