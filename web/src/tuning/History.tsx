// Every step that was taken, with how long it took.
import { duration } from '../ui/format'
import { Moment } from '../ui/times'
import { knownWords, t } from './i18n'
import type { Section } from './parts'

const TONES = { success: 'good', failure: 'bad', skipped: '' } as const

export function History({ view }: Section) {
  const entries = view.run.action_history
  if (entries.length === 0) return <p class="empty">{t('history.empty')}</p>
  return (
    <ol class="steps">
      {entries.map(({ action, started_at, completed_at, result, output_files }, at) => (
        <li key={at} class={`step ${TONES[result]}`}>
          <div class="step-number">{at + 1}</div>
          <div class="step-main">
            <p class="step-line">
              <strong class="action wide">
                <span class="dot" aria-hidden="true" />
                {knownWords(`action.${action}`, action)}
              </strong>
              <span class="result">{t(`result.${result}`)}</span>
            </p>
            {output_files.length > 0 && <p class="mono small muted">{output_files.join(', ')}</p>}
          </div>
          <div class="step-side small">
            <span>{duration((Date.parse(completed_at) - Date.parse(started_at)) / 1000)}</span>
            <Moment class="muted" at={started_at} />
          </div>
        </li>
      ))}
    </ol>
  )
}
