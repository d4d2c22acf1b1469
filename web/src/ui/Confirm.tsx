// Asks before something that cannot be undone.
import { t } from '../i18n'
import { Dialog } from './Dialog'
import { ProblemNotice } from './Notice'
import { useCommand } from './useCommand'

interface ConfirmProps {
  title: string
  words: string
  /** What the button says: the command itself, never "OK". */
  command: string
  act: () => Promise<unknown>
  onClose: () => void
}

export function Confirm({ title, words, command, act, onClose }: ConfirmProps) {
  const { busy, problem, run } = useCommand()
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body stack">
        <p>{words}</p>
        <ProblemNotice problem={problem} />
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        <button
          type="button"
          class="button danger"
          disabled={busy}
          onClick={async () => {
            if (await run(act)) onClose()
          }}
        >
          {command}
        </button>
      </footer>
    </Dialog>
  )
}
