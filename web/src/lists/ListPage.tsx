// The list of all runs of a kind: how to make a new one, how to narrow it, its rows, live.

import { useEffect } from 'preact/hooks'
import type { FleetPlace } from '../api/types'
import { projects } from '../app/projects'
import { runHref } from '../app/router'
import { placeWords } from '../fleet/place'
import { t as common } from '../i18n'
import { Notice, ProblemNotice } from '../ui/Notice'
import { StatusBadge } from '../ui/StatusBadge'
import { Ago } from '../ui/times'
import { CreateDialog } from './CreateDialog'
import { Filters } from './Filters'
import type { ListKind } from './ListKind'
import type { Row } from './rows'
import type { RunList } from './runList'

interface ListPageProps<Brief extends Row> {
  kind: ListKind<Brief>
  list: RunList<Brief>
}

export function ListPage<Brief extends Row>({ kind, list }: ListPageProps<Brief>) {
  const { t, statuses, statusWords, searchHint } = kind
  const open = () => {
    list.creating.value = true
  }
  const close = () => {
    list.creating.value = false
  }
  useEffect(list.follow, [list])
  // Whoever leaves by the back button does not find it open again.
  useEffect(() => close, [])

  return (
    <div class="loops stack">
      <div class="row spread">
        <h1>{t('list.title')}</h1>
        <button type="button" class="button primary" onClick={open}>
          {t('list.new')}
        </button>
      </div>
      <Filters
        list={list}
        statuses={statuses.map((name) => [name, statusWords(name)] as const)}
        label={t('list.search')}
        hint={searchHint()}
      />
      <ProblemNotice problem={list.problem.value} retry={() => void list.reload()} />
      <DamagedNotice kind={kind} list={list} />
      <Rows kind={kind} list={list} onCreate={open} />
      {list.creating.value && <CreateDialog kind={kind} project={list.filter.value.project} onClose={close} />}
    </div>
  )
}

function Rows<Brief extends Row>({ kind, list, onCreate }: ListPageProps<Brief> & { onCreate: () => void }) {
  const { t } = kind
  const shown = list.rows.value
  const { status, search } = list.filter.value
  if (shown === null) return list.problem.value ? null : <Skeleton words={t('list.loading')} />
  if (shown.all.length === 0) {
    const isNarrowed = status !== 'all' || search.trim() !== ''
    return isNarrowed ? <NothingFound kind={kind} list={list} /> : <Empty kind={kind} onCreate={onCreate} />
  }
  const several = projects.value.length > 1
  return (
    <>
      <ul class="list-rows card" aria-label={t('list.title')} aria-busy={list.loading.value}>
        {shown.all.map((one) => (
          <RunRow key={one.id} kind={kind} brief={one} place={list.places.value[one.id]} several={several} />
        ))}
      </ul>
      <p class="row spread muted small">
        <span aria-live="polite">{t('list.count', { n: shown.total })}</span>
        {list.hasMore.value && (
          <button type="button" class="button" disabled={list.loading.value} onClick={() => void list.more()}>
            {common('loops.more')}
          </button>
        )}
      </p>
    </>
  )
}

interface RunRowProps<Brief extends Row> {
  kind: ListKind<Brief>
  brief: Brief
  /** Where it is, if other machines drive it. */
  place: FleetPlace | undefined
  several: boolean
}

/** The title's link covers the whole row. */
function RunRow<Brief extends Row>({ kind, brief, place, several }: RunRowProps<Brief>) {
  const { title, look, details, needs, progress, results, changedAt } = kind.columns(brief)
  return (
    <li class="list-row">
      <div class="list-status">
        <StatusBadge look={look} status={brief.status} />
      </div>
      <div class="list-name">
        <a href={runHref(kind.name, { id: brief.id, project: several ? brief.project : undefined })}>{title}</a>
        <p class="muted small">{[...(place ? placeWords(place) : []), ...details].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="list-needs">{needs && <span class="badge tone-warn">{needs}</span>}</div>
      <div class="list-progress">{progress}</div>
      {results}
      <div class="list-changed muted small">{changedAt && <Ago at={changedAt} />}</div>
    </li>
  )
}

/** A list without any: how to begin. */
function Empty<Brief extends Row>({
  kind: { t, command },
  onCreate,
}: Pick<ListPageProps<Brief>, 'kind'> & { onCreate: () => void }) {
  return (
    <section class="blank card">
      <h2>{t('list.empty')}</h2>
      <p>{t('list.empty_words')}</p>
      <p>
        <button type="button" class="button primary" onClick={onCreate}>
          {t('list.new')}
        </button>
      </p>
      <p class="muted small">
        {common('loops.empty.terminal')} <code>{command}</code>
      </p>
    </section>
  )
}

function NothingFound<Brief extends Row>({ kind: { t }, list }: ListPageProps<Brief>) {
  return (
    <section class="blank card">
      <h2>{common('loops.none.title')}</h2>
      <p>{t('list.none')}</p>
      <p>
        <button type="button" class="button" onClick={() => list.narrow({ status: 'all', search: '' })}>
          {t('list.clear')}
        </button>
      </p>
    </section>
  )
}

/** Each has a page of its own, where it can be recovered. */
function DamagedNotice<Brief extends Row>({ kind, list }: ListPageProps<Brief>) {
  const damaged = list.damaged.value
  if (damaged.length === 0) return null
  return (
    <Notice tone="warn" title={kind.t('list.damaged', { n: damaged.length })}>
      {damaged.map(({ id, reason }) => (
        <a key={id} class="mono" href={runHref(kind.name, { id, project: list.filter.value.project })} title={reason}>
          {id}
        </a>
      ))}
    </Notice>
  )
}

const WIDTHS = ['62%', '44%', '55%', '38%', '50%']

/** The list's shape until it is there. */
function Skeleton({ words }: { words: string }) {
  return (
    <div class="list-rows card" role="status">
      <span class="sr-only">{words}</span>
      {WIDTHS.map((width) => (
        <div key={width} class="list-row" aria-hidden="true">
          <span class="bone" />
          <span class="bone" style={{ width }} />
        </div>
      ))}
    </div>
  )
}
