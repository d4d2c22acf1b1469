// Takes over the tasks that were planned for an issue.
import { useState } from 'preact/hooks'
import { importTasks } from '../api/loops'
import type { Ref } from '../api/types'
import { t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import { placed, useCommand } from '../ui/useCommand'

interface Importing {
  at: Ref
  onClose: () => void
  onDone: (words: string) => void
}

export function ImportDialog({ at, onClose, onDone }: Importing) {
  const [issue, setIssue] = useState('')
  const [missing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const there = placed(problem, ['issue_id'])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(issue.trim() === '')
    if (issue.trim() === '') return
    await run(async () => onDone(t('board.imported', { n: (await importTasks(at, issue.trim())).length })))
  }

  return (
    <Dialog title={t('board.import_title')} onClose={onClose}>
      <form noValidate onSubmit={submit} onInput={clear}>
        <div class="dialog-body form">
          <p>{t('board.import_words')}</p>
          {!there && <ProblemNotice problem={problem} />}
          <Field label={t('board.issue')} error={missing ? t('board.issue_missing') : there?.words}>
            <input class="input" value={issue} autofocus onInput={(event) => setIssue(event.currentTarget.value)} />
          </Field>
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {t('board.import')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
