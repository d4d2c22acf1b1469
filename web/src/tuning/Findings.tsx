// All findings: a list that is narrowed by dimension and severity, and beside it the one that was chosen.
import { useState } from 'preact/hooks'
import { DIMENSIONS, type Dimension, type Finding, SEVERITIES, type Severity } from '../api/tunings'
import { go } from '../app/router'
import { Filter } from '../run/Filter'
import { Picker } from '../ui/Picker'
import { filterFindings, isCounted, sortFindings } from './findings'
import { t } from './i18n'
import { OneFinding } from './OneFinding'
import type { Section } from './parts'
import { SEVERITY_TONES } from './tones'

type Choice = Dimension | 'all'

/** The address has the dimension and, behind it, which one of all is open: `findings-context-3`. */
export function Findings({ resources, view, detail = '' }: Section) {
  const [words, setWords] = useState('')
  const [severity, setSeverity] = useState<Severity | 'all'>('all')
  const [named = '', place = ''] = detail.split('-')
  const dimension: Choice = DIMENSIONS.find((name) => name === named) ?? 'all'
  const all = sortFindings(view.run.engine.findings)
  const shown = filterFindings(all, { dimension, severity, words })
  const asked = place === '' ? undefined : all[Number(place)]
  const open = asked && shown.includes(asked) ? asked : shown[0]
  if (all.length === 0) {
    const isKnown = view.run.engine.standings.length > 0
    return <p class="empty">{t(isKnown ? 'overview.clean' : 'overview.not_yet')}</p>
  }
  const count = (name: Choice) => filterFindings(all, { dimension: name, severity, words }).length
  return (
    <div class="stack">
      <div class="flaw-filter">
        <Filter<Choice>
          label={t('findings.search')}
          words={words}
          onWords={setWords}
          choices={[
            ['all', t('findings.all'), count('all')],
            ...DIMENSIONS.map((name) => [name, t(`dimension.${name}`), count(name)] as const),
          ]}
          choice={dimension}
          onChoice={(picked) => go(resources.address.href(picked === 'all' ? 'findings' : `findings-${picked}`))}
        />
        <Picker<Severity | 'all'>
          label={t('findings.severity')}
          value={severity}
          options={[['all', t('findings.every')], ...SEVERITIES.map((name) => [name, t(`severity.${name}`)] as const)]}
          onPick={setSeverity}
        />
      </div>
      {open === undefined ? (
        <p class="empty">{t('findings.none')}</p>
      ) : (
        <div class="findings">
          <nav class="finding-list card" aria-label={t('findings.list')}>
            <ul>
              {shown.map((finding) => (
                <li key={all.indexOf(finding)}>
                  <a
                    href={resources.address.href(`findings-${dimension}-${all.indexOf(finding)}`)}
                    aria-current={finding === open ? 'true' : undefined}
                  >
                    <Line finding={finding} />
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <OneFinding key={all.indexOf(open)} resources={resources} view={view} finding={open} />
        </div>
      )}
    </div>
  )
}

function Line({ finding }: { finding: Finding }) {
  return (
    <>
      <span class={`mark tone-${SEVERITY_TONES[finding.severity]} severity-${finding.severity}`} aria-hidden="true" />
      <span class="finding-line">
        <span class="sr-only">{t(`severity.${finding.severity}`)}: </span>
        <span>{finding.message}</span>
        <span class="muted small mono">
          {finding.file}:{finding.line}
        </span>
        {!isCounted(finding) && <span class="muted small">{t(`confidence.${finding.confidence}`)}</span>}
      </span>
    </>
  )
}
