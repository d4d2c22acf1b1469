// The keys that do something.
import { useEffect, useState } from 'preact/hooks'
import { type Key, t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { useShortcut } from './shortcuts'

const KEYS: readonly (readonly [string, Key])[] = [
  ['/', 'help.search'],
  ['n', 'help.new'],
  ['Alt ↑ ↓', 'help.move'],
  ['Esc', 'help.close'],
  ['?', 'help.help'],
]

export function Help() {
  const [open, setOpen] = useState(false)
  useShortcut('?', () => setOpen(true))
  useEffect(() => {
    const close = () => setOpen(false)
    addEventListener('hashchange', close)
    return () => removeEventListener('hashchange', close)
  }, [])
  return (
    <>
      <button type="button" class="button plain icon" aria-label={t('help.open')} onClick={() => setOpen(true)}>
        ?
      </button>
      {open && (
        <Dialog title={t('help.title')} onClose={() => setOpen(false)}>
          <dl class="dialog-body keys">
            {KEYS.map(([key, words]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{t(words)}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}
