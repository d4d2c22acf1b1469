import type { RunLook } from './tones'

/** How a run stands, or how it ended. */
export function StatusBadge({ look: { tone, words, live }, status }: { look: RunLook; status: string }) {
  return (
    <span class={`badge tone-${tone}`} data-status={status}>
      <i class={live ? 'dot live' : 'dot'} aria-hidden="true" />
      {words}
    </span>
  )
}
