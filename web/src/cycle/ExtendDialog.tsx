// Something more to do, for the same roles: they go on with all that they know.
import { useState } from 'preact/hooks'
import type { Cycle } from '../api/cycles'
import type { SendCommand } from '../app/address'
import { Field } from '../ui/Field'
import { FormDialog } from '../ui/FormDialog'
import { ProblemNotice } from '../ui/Notice'
import { fieldProblem, useCommand } from '../ui/useCommand'
import { t } from './i18n'

const FIELDS = ['text'] as const

export function ExtendDialog({ send, cycle, onClose }: { send: SendCommand; cycle: Cycle; onClose: () => void }) {
  const [text, setText] = useState('')
  const [isMissing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(problem, FIELDS)

  const submit = async () => {
    setMissing(text.trim() === '')
    if (text.trim() !== '' && (await run(() => send('extend', { text: text.trim() })))) onClose()
  }

  return (
    <FormDialog
      title={t('extend.title')}
      command={t(cycle.status === 'running' ? 'extend.queue' : 'extend.run')}
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      <p>{t(cycle.status === 'running' ? 'extend.queued' : 'extend.words', { n: cycle.current_iteration + 1 })}</p>
      {!refused && <ProblemNotice problem={problem} />}
      <Field label={t('extend.text')} hint={t('extend.hint')} error={isMissing ? t('extend.missing') : refused?.words}>
        <textarea
          class="input"
          rows={4}
          autofocus
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}
