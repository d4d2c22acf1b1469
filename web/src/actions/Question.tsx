// A question that only a person can answer: by one of its options, or in words.
import { useState } from 'preact/hooks'
import type { Waiting } from '../api/types'
import type { SendCommand } from '../app/address'
import { t } from '../i18n'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'

interface QuestionProps {
  send: SendCommand
  title: string
  /** The title where no answer, but a deed is waited for. */
  settle: string
  waiting: Waiting
  /** Given already, and not yet taken. */
  answer: string | null
  /** The loop is paused with its question: an answer alone does not make it run. */
  rests: boolean
}

export function Question({ send, title, settle, waiting, answer, rests }: QuestionProps) {
  const [text, setText] = useState('')
  const [missing, setMissing] = useState(false)
  const { busy, problem, run } = useCommand()
  const options = waiting.options

  const give = (words: string) => {
    if (words.trim() === '') return setMissing(true)
    setMissing(false)
    void run(async () => {
      await send('answer', { text: words.trim() })
      if (rests) await send('resume')
    })
  }

  return (
    <section class="asked card tone-warn" aria-label={title}>
      <h2>{waiting.by_resuming ? settle : title}</h2>
      <p class="question">{waiting.question}</p>
      {answer !== null && <p class="muted">{t('ask.answered', { words: answer })}</p>}
      {waiting.by_resuming ? (
        <p class="muted">{t('ask.settle_words')}</p>
      ) : (
        <>
          {options.length > 0 && (
            <div class="row">
              {options.map((option) => (
                <button key={option} type="button" class="button option" disabled={busy} onClick={() => give(option)}>
                  {option}
                </button>
              ))}
            </div>
          )}
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault()
              give(text)
            }}
          >
            <Field label={t('ask.answer')} error={missing ? t('ask.missing') : null}>
              <textarea class="input" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
            </Field>
            <p>
              <button type="submit" class="button primary" disabled={busy}>
                {rests ? t('ask.send_resume') : t('ask.send')}
              </button>
            </p>
          </form>
        </>
      )}
      <ProblemNotice problem={problem} />
    </section>
  )
}
