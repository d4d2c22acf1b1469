// Files and progress put back to a checkpoint, after a question.
import { useRef, useState } from 'preact/hooks'
import { Problem, send } from '../api/client'
import type { Loop, LoopView } from '../api/types'
import { moment } from './format'
import { t } from './i18n'
import type { CheckpointView } from './shapes'
import { pathOf, type Watched } from './watch'

export function Rewind({ seen, view, checkpoint }: { seen: Watched; view: LoopView; checkpoint: CheckpointView }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isUnderWay, setUnderWay] = useState(false)
  const rewind = async () => {
    setUnderWay(true)
    setFailure(null)
    try {
      await send<Loop>('POST', pathOf(seen.at, '/rewind'), { body: { to: checkpoint.n } })
      dialog.current?.close()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setFailure(error.message)
    } finally {
      setUnderWay(false)
    }
  }
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={view.live}
        title={view.live ? t('rewind.live') : undefined}
        onClick={() => dialog.current?.showModal()}
      >
        {t('rewind.button')}
      </button>
      <dialog class="dialog" ref={dialog} aria-labelledby="rewind-title" onClose={() => setFailure(null)}>
        <div class="stack">
          <h2 id="rewind-title">{t('rewind.title', { n: checkpoint.n })}</h2>
          <p>{t('rewind.words', { action: checkpoint.action, at: moment(checkpoint.at) })}</p>
          {failure && (
            <p class="notice tone-bad" role="alert">
              {failure}
            </p>
          )}
          <p class="row end">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              {t('rewind.cancel')}
            </button>
            <button type="button" class="button danger" disabled={isUnderWay} onClick={rewind}>
              {t('rewind.confirm')}
            </button>
          </p>
        </div>
      </dialog>
    </>
  )
}
