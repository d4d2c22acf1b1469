// Every committed change, the latest first: in words, and as it is written on demand.
import { useState } from 'preact/hooks'
import type { Entry } from '../api/types'
import { Moment } from '../ui/times'
import { Filter } from './Filter'
import { t } from './i18n'
import { Loaded } from './Loaded'
import { Fold, Scroll } from './panels'
import { addEntries, entriesBefore, type RunEvents } from './resources'
import { Ticked } from './text'

const KINDS = ['all', 'steps', 'people'] as const
type Kind = (typeof KINDS)[number]

/** `runner` and `store` are the engine itself. */
const SHOWN: Readonly<Record<Kind, (entry: Entry) => boolean>> = {
  all: () => true,
  steps: ({ type }) => type.startsWith('action_') || type.startsWith('step_'),
  people: ({ actor }) => actor !== 'runner' && actor !== 'store',
}
const AT_ONCE = 200

export function Journal({ run }: { run: RunEvents }) {
  return <Loaded of={run.events}>{() => <List run={run} entries={run.entries.value} />}</Loaded>
}

function List({ run, entries }: { run: RunEvents; entries: readonly Entry[] }) {
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
    if (first) addEntries(run.entries, await entriesBefore(run.address, first.seq))
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
      <Moment class="muted" at={ts} />
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
