import type { BriefLoop } from '../api/types'
import { t } from '../i18n'
import { look } from './tones'

/** A loop's status, or how it ended. */
export function StatusBadge({ loop }: { loop: Pick<BriefLoop, 'status' | 'outcome' | 'parked_until'> }) {
  const { tone, words, live } = look(loop)
  return (
    <span class={`badge tone-${tone}`} data-status={loop.status}>
      <i class={live ? 'dot live' : 'dot'} aria-hidden="true" />
      {t(words)}
    </span>
  )
}
