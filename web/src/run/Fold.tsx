// Closed until somebody wants it; what is inside is only drawn then.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface Folding {
  class?: string
  summary: ComponentChildren
  children: ComponentChildren
}

export function Fold({ class: name, summary, children }: Folding) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class={name} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  )
}
