// The board of what the roles found out, by kind.
import { useState } from 'preact/hooks'
import type { Finding } from '../api/cycles'
import { Filter } from '../run/Filter'
import { Loaded } from '../run/Loaded'
import { Fact } from '../run/panels'
import { Moment } from '../ui/times'
import { byType, linesOf, titleOf, wordsOf } from './findings'
import { partyWords, t, typeWords } from './i18n'
import type { Section } from './parts'

export function Discoveries({ resources }: Section) {
  return (
    <Loaded of={resources.parts.discoveries}>
      {(all) => (all.length ? <Board all={all} /> : <p class="empty">{t('discoveries.empty')}</p>)}
    </Loaded>
  )
}

function Board({ all }: { all: readonly Finding[] }) {
  const [words, setWords] = useState('')
  const [type, setType] = useState('all')
  const groups = byType(all)
  const wanted = words.trim().toLowerCase()
  const shown = groups
    .filter((group) => type === 'all' || group.type === type)
    .map((group) => ({ ...group, findings: group.findings.filter((one) => wordsOf(one).includes(wanted)) }))
    .filter(({ findings }) => findings.length > 0)
  return (
    <section class="stack" aria-label={t('tab.discoveries')}>
      <Filter
        label={t('discoveries.search')}
        words={words}
        onWords={setWords}
        choices={[
          ['all', t('discoveries.all'), all.length],
          ...groups.map(({ type, findings }) => [type, typeWords(type), findings.length] as const),
        ]}
        choice={type}
        onChoice={setType}
      />
      {shown.length === 0 && <p class="empty">{t('discoveries.none')}</p>}
      <ul class="finding-cards">
        {shown.flatMap((group) =>
          group.findings.map((one) => (
            <li key={`${one.type} ${one.ts} ${titleOf(one)}`} class="card finding">
              <OneFinding finding={one} />
            </li>
          )),
        )}
      </ul>
    </section>
  )
}

function OneFinding({ finding }: { finding: Finding }) {
  const title = titleOf(finding)
  return (
    <>
      <h3>
        <span class="small muted">{typeWords(finding.type)}</span>
        {title && <span>{title}</span>}
      </h3>
      <dl class="facts">
        {linesOf(finding).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      <p class="muted small">
        {partyWords(finding.agent)} · <Moment at={finding.ts} />
      </p>
    </>
  )
}
