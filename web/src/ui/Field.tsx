// A labelled input, with its hint below and its error where the eye is.
import type { ComponentChildren, VNode } from 'preact'
import { cloneElement } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  error?: string | null | undefined
  /** The input, select or textarea. */
  children: VNode<Record<string, unknown>>
  optional?: string
}

export function Field({ label, hint, error, children, optional }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="muted"> · {optional}</span>}
      </label>
      {cloneElement(children, { id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
      {hint && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && (
        <p class="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
