// Every committed change, the latest first: in words, and as it is written on demand.
import { useState } from 'preact/hooks'
import type { Entry } from '../api/types'
import { Awaited } from './absent'
import { Filter } from './Filter'
import { Fold } from './Fold'
import { moment } from './format'
import { t } from './i18n'
import { useHeld } from './resource'
import { Scroll } from './Scroll'
import { Ticked } from './Ticked'
import { add, entriesBefore, type Followed } from './watch'

const KINDS = ['all', 'steps', 'people'] as const
type Kind = (typeof KINDS)[number]

/** `runner` and `store` are the engine itself. */
const SHOWN: Readonly<Record<Kind, (entry: Entry) => boolean>> = {
  all: () => true,
  steps: ({ type }) => type.startsWith('action_') || type.startsWith('step_'),
  people: ({ actor }) => actor !== 'runner' && actor !== 'store',
}
const AT_ONCE = 200

export function Journal({ seen }: { seen: Followed }) {
  return (
    <Awaited held={useHeld(seen.events)} onRetry={seen.events.touch}>
      {() => <List seen={seen} entries={seen.entries.value} />}
    </Awaited>
  )
}

function List({ seen, entries }: { seen: Followed; entries: readonly Entry[] }) {
  const [words, setWords] = useState('')
  const [kind, setKind] = useState<Kind>('all')
  const [most, setMost] = useState(AT_ONCE)
  const wanted = words.trim().toLowerCase()
  const shown = entries
    .filter(
      (entry) => SHOWN[kind](entry) && `${entry.words} ${entry.type} ${entry.actor}`.toLowerCase().includes(wanted),
    )
    .toReversed()
  const first = entries[0]
  const earlier = async () => {
    if (first) add(seen.entries, await entriesBefore(seen.place, first.seq))
    setMost(most + AT_ONCE)
  }
  return (
    <section class="stack" aria-label={t('tab.journal')}>
      <Filter
        label={t('journal.search')}
        words={words}
        onWords={setWords}
        choices={KINDS.map((name) => [name, t(`journal.${name}`)] as const)}
        choice={kind}
        onChoice={setKind}
      />
      {shown.length === 0 && <p class="empty">{t('journal.none')}</p>}
      <ol class="journal">
        {shown.slice(0, most).map((entry) => (
          <Line key={entry.seq} entry={entry} />
        ))}
      </ol>
      {(shown.length > most || (first && first.seq > 1)) && (
        <button type="button" class="button" onClick={shown.length > most ? () => setMost(most + AT_ONCE) : earlier}>
          {t('journal.earlier')}
        </button>
      )}
    </section>
  )
}

function Line({ entry }: { entry: Entry }) {
  const { seq, ts, actor, type, data } = entry
  const summary = (
    <>
      <span class="seq muted">{seq}</span>
      <time class="muted" dateTime={ts}>
        {moment(ts)}
      </time>
      <span class="actor muted">{actor}</span>
      <span class="words">
        <Ticked text={entry.words} />
      </span>
    </>
  )
  return (
    <li>
      <Fold summary={summary}>
        <Scroll class="output" label={t('journal.raw', { n: seq })}>
          {JSON.stringify({ seq, ts, actor, type, data }, null, 2)}
        </Scroll>
      </Fold>
    </li>
  )
}
