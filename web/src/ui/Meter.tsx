// A thin bar of parts of a whole. What it says is in words beside it, so it is hidden from screen readers.
import type { Tone } from './tones'

interface Part {
  tone: Tone
  count: number
}

export function Meter({ parts, total }: { parts: readonly Part[]; total: number }) {
  return (
    <span class="gauge" aria-hidden="true">
      {parts.map(({ tone, count }) => (
        <i
          key={tone}
          class={`tone-${tone}`}
          style={{ width: `${total > 0 ? Math.min(100, (100 * count) / total) : 0}%` }}
        />
      ))}
    </span>
  )
}
