// The report on the skill, to read.
import { Loaded } from '../run/Loaded'
import { Prose } from '../run/text'
import { t } from './i18n'
import type { Section } from './parts'

export function Report({ resources, view }: Section) {
  if (view.run.engine.standings.length === 0) return <p class="empty">{t('report.none')}</p>
  return (
    <Loaded of={resources.parts.report}>
      {({ text, truncated }) => (
        <section class="card report">
          {truncated && <p class="notice tone-warn small">{t('findings.truncated')}</p>}
          <Prose text={text} />
        </section>
      )}
    </Loaded>
  )
}
