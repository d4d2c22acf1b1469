// What was put back, not believed, or changed in the tests; and what gave no result.
import type { EngineState, SkillState } from '../api/types'
import { moment } from './format'
import { t } from './i18n'

interface Told {
  kind: string
  message: string
  at: string
}

export function Incidents({
  incidents,
  errors,
}: {
  incidents: EngineState['incidents']
  errors: SkillState['errors']
}) {
  const told: Told[] = [
    ...incidents,
    ...errors.map(({ action, message, timestamp }) => ({ kind: action, message, at: timestamp })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (!told.length) return null
  return (
    <section class="card" aria-labelledby="incidents-title">
      <header class="card-head">
        <h2 id="incidents-title">{t('incidents.title')}</h2>
        <span class="badge tone-warn">{told.length}</span>
      </header>
      <ul class="card-body incidents">
        {told.map(({ kind, message, at }) => (
          <li key={`${at}${kind}${message}`}>
            <p class="row spread small">
              <strong>{kind.replaceAll('_', ' ')}</strong>
              <time class="muted" dateTime={at}>
                {moment(at)}
              </time>
            </p>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
