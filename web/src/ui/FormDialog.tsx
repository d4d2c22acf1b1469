// A dialog with something to fill in: a way back, and a button that sends it.
import type { ComponentChildren } from 'preact'
import { t } from '../i18n'
import { Dialog } from './Dialog'

interface FormDialogProps {
  title: string
  /** What the button says: the command itself, never "OK". */
  command: string
  cancel?: string
  busy: boolean
  wide?: boolean
  onSubmit: (event: SubmitEvent) => void
  /** Something was changed: what the server said of it before is old. */
  onInput: () => void
  onClose: () => void
  children: ComponentChildren
}

export function FormDialog({
  title,
  command,
  cancel,
  busy,
  wide = false,
  onSubmit,
  onInput,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(event)
        }}
        onInput={onInput}
      >
        <div class="dialog-body form">{children}</div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {cancel ?? t('dialog.cancel')}
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {command}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
