// Files and progress put back to a checkpoint, after a question.
import { useState } from 'preact/hooks'
import { send } from '../api/client'
import type { Loop, LoopView } from '../api/types'
import { moment } from '../run/format'
import { t } from '../run/i18n'
import type { CheckpointView } from '../run/shapes'
import { Confirm } from '../ui/Confirm'
import type { Watched } from './watch'

interface Rewinding {
  seen: Watched
  view: LoopView
  checkpoint: CheckpointView
}

export function Rewind({ seen, view, checkpoint: { n, action, at } }: Rewinding) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={view.live}
        title={view.live ? t('rewind.live') : undefined}
        onClick={() => setAsking(true)}
      >
        {t('rewind.button')}
      </button>
      {isAsking && (
        <Confirm
          title={t('rewind.title', { n })}
          words={t('rewind.words', { action, at: moment(at) })}
          deed={t('rewind.confirm')}
          act={() => send<Loop>('POST', seen.place.path('/rewind'), { body: { to: n } })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
