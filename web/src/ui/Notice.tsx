// Something that has to be said beside the content.
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/client'
import { t } from '../i18n'
import type { Tone } from './tones'

interface NoticeProps {
  tone: Tone
  title?: string
  children?: ComponentChildren
}

/** `role=alert` only for bad news: it interrupts whoever listens to the page. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {title && <strong>{title}</strong>}
      {children}
    </div>
  )
}

/** What the server refused, and a way to try it again where that makes sense. */
export function ProblemNotice({ problem, retry }: { problem: Problem | null; retry?: () => void }) {
  if (problem === null) return null
  return (
    <Notice tone="bad">
      <span>{problem.isOffline ? t('problem.offline') : problem.message}</span>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          {t('problem.retry')}
        </button>
      )}
    </Notice>
  )
}
