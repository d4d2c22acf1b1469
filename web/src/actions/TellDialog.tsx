// Something to tell the agent at work, and what became of what it was told before.
import { useState } from 'preact/hooks'
import type { PersonMessage } from '../api/types'
import type { SendCommand } from '../app/address'
import { t } from '../i18n'
import { Field } from '../ui/Field'
import { FormDialog } from '../ui/FormDialog'
import { ProblemNotice } from '../ui/Notice'
import { fieldProblem, useCommand } from '../ui/useCommand'

const FIELDS = ['text'] as const

interface TellDialogProps {
  send: SendCommand
  messages: readonly PersonMessage[]
  onClose: () => void
}

export function TellDialog({ send, messages, onClose }: TellDialogProps) {
  const [text, setText] = useState('')
  const [isUrgent, setUrgent] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(problem, FIELDS)

  const submit = async () => {
    setMissing(text.trim() === '')
    if (text.trim() !== '' && (await run(() => send('tell', { text: text.trim(), now: isUrgent })))) setText('')
  }

  return (
    <FormDialog
      title={t('tell.title')}
      command={t('tell.send')}
      busy={busy}
      onSubmit={submit}
      onInput={clear}
      onClose={onClose}
    >
      <p>{t('tell.words')}</p>
      {!refused && <ProblemNotice problem={problem} />}
      <Field label={t('tell.text')} error={isMissing ? t('tell.missing') : refused?.words}>
        <textarea
          class="input"
          rows={3}
          autofocus
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
      <label class="check">
        <input type="checkbox" checked={isUrgent} onChange={(event) => setUrgent(event.currentTarget.checked)} />
        {t('tell.now')}
      </label>
      {messages.length > 0 && <Receipts messages={messages} />}
    </FormDialog>
  )
}

/** The latest first. */
function Receipts({ messages }: { messages: readonly PersonMessage[] }) {
  return (
    <section aria-label={t('tell.before')}>
      <h3>{t('tell.before')}</h3>
      <ul class="stack">
        {[...messages].reverse().map((message) => (
          <li key={message.id}>
            {message.text} <span class="muted small">{receipt(message)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function receipt({ status, answer, why }: PersonMessage): string {
  const words = t(`tell.${status}`)
  const more = answer || why
  return more ? `${words}: ${more}` : words
}
