// A list's page: how to make a new one, how to narrow it, its rows, live.
import './listing.css'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Ref } from '../api/types'
import { t } from '../i18n'
import { Notice, ProblemNotice } from '../ui/Notice'
import { Filters } from './Filters'
import { type Listing, projects } from './listing'
import type { Row } from './rows'
import { Skeleton } from './Skeleton'

interface Words {
  title: string
  create: string
  search: string
  searchLabel: string
  loading: string
  count: (n: number) => string
  damaged: (n: number) => string
  none: { title: string; words: string; clear: string }
}

interface Paging<Kind extends Row, Status extends string> {
  list: Listing<Kind, Status>
  statuses: readonly (readonly [Status, string])[]
  words: Words
  href: (at: Ref) => string
  row: (row: Kind, several: boolean) => JSX.Element
  /** Where there is none at all. */
  empty: (create: () => void) => JSX.Element
  dialog: (close: () => void) => ComponentChildren
}

export function ListPage<Kind extends Row, Status extends string>(paging: Paging<Kind, Status>) {
  const { list, statuses, words, dialog } = paging
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
        <h1>{words.title}</h1>
        <button type="button" class="button primary" onClick={open}>
          {words.create}
        </button>
      </div>
      <Filters list={list} statuses={statuses} label={words.searchLabel} hint={words.search} />
      <ProblemNotice problem={list.problem.value} retry={() => void list.reload()} />
      <DamagedNotice {...paging} />
      <List {...paging} create={open} />
      {list.creating.value && dialog(close)}
    </div>
  )
}

function List<Kind extends Row, Status extends string>(paging: Paging<Kind, Status> & { create: () => void }) {
  const { list, words, row, empty, create } = paging
  const shown = list.rows.value
  const { status, search } = list.filter.value
  if (shown === null) return list.problem.value ? null : <Skeleton words={words.loading} />
  if (shown.all.length === 0) {
    return status === 'all' && search.trim() === '' ? empty(create) : <NothingFound list={list} words={words} />
  }
  const several = projects.value.length > 1
  return (
    <>
      <ul class="list-rows card" aria-label={words.title} aria-busy={list.loading.value}>
        {shown.all.map((one) => row(one, several))}
      </ul>
      <p class="row spread muted small">
        <span aria-live="polite">{words.count(shown.total)}</span>
        {list.hasMore.value && (
          <button type="button" class="button" disabled={list.loading.value} onClick={() => void list.more()}>
            {t('loops.more')}
          </button>
        )}
      </p>
    </>
  )
}

function NothingFound<Kind extends Row, Status extends string>({
  list,
  words,
}: Pick<Paging<Kind, Status>, 'list' | 'words'>) {
  return (
    <section class="blank card">
      <h2>{words.none.title}</h2>
      <p>{words.none.words}</p>
      <p>
        <button type="button" class="button" onClick={() => list.narrow({ status: 'all', search: '' })}>
          {words.none.clear}
        </button>
      </p>
    </section>
  )
}

/** Each has a page of its own, where it can be recovered. */
function DamagedNotice<Kind extends Row, Status extends string>({ list, words, href }: Paging<Kind, Status>) {
  const damaged = list.damaged.value
  if (damaged.length === 0) return null
  return (
    <Notice tone="warn" title={words.damaged(damaged.length)}>
      {damaged.map(({ id, reason }) => (
        <a key={id} class="mono" href={href({ id, project: list.filter.value.project })} title={reason}>
          {id}
        </a>
      ))}
    </Notice>
  )
}
