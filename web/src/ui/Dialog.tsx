// A native dialog: the browser keeps the focus inside, and Escape closes it.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../i18n'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  wide?: boolean
}

/** It is open as long as it is rendered. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = useId()

  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      // Removed without close(), the browser would leave the focus nowhere.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])

  return (
    <dialog
      class={wide ? 'dialog wide' : 'dialog'}
      ref={dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={name}>{title}</h2>
        <button type="button" class="button plain icon" aria-label={t('dialog.close')} onClick={onClose}>
          <svg width="14" height="14" viewBox="0 0 14 14" stroke="currentColor" stroke-width="1.6" aria-hidden="true">
            <path d="M2 2l10 10M12 2L2 12" stroke-linecap="round" />
          </svg>
        </button>
      </div>
      {children}
    </dialog>
  )
}
