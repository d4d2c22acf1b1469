// Something more to do, for the same roles: they go on with all that they know.
import { useState } from 'preact/hooks'
import type { Cycle } from '../api/cycles'
import type { Act } from '../app/place'
import { t as common } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { placed, useCommand } from '../ui/useCommand'
import { t } from './i18n'

const FIELDS = ['text'] as const

export function ExtendDialog({ act, cycle, onClose }: { act: Act; cycle: Cycle; onClose: () => void }) {
  const [text, setText] = useState('')
  const [isMissing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const there = placed(problem, FIELDS)

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(text.trim() === '')
    if (text.trim() !== '' && (await run(() => act('extend', { text: text.trim() })))) onClose()
  }

  return (
    <Dialog title={t('extend.title')} onClose={onClose}>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          <p>{t(cycle.status === 'running' ? 'extend.queued' : 'extend.words', { n: cycle.current_iteration + 1 })}</p>
          {!there && <ProblemNotice problem={problem} />}
          <Field
            label={t('extend.text')}
            hint={t('extend.hint')}
            error={isMissing ? t('extend.missing') : there?.words}
          >
            <textarea
              class="input"
              rows={4}
              autofocus
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </Field>
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {common('dialog.cancel')}
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {t(cycle.status === 'running' ? 'extend.queue' : 'extend.run')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
