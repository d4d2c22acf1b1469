// A number with its name above it.
import type { ComponentChildren } from 'preact'

interface Counted {
  name: string
  tone?: 'good' | 'bad' | undefined
  note?: string
  children: ComponentChildren
}

export function Figure({ name, tone, note, children }: Counted) {
  return (
    <div class={tone && `tone-${tone}`}>
      <dt>{name}</dt>
      <dd>
        {children}
        {note && <span class="note">{note}</span>}
      </dd>
    </div>
  )
}
