// A list that is on the screen: read once, then kept by the stream of all changes.
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { Problem } from '../api/client'
import { type DamagedRun, idOf, listRuns, rowOf } from '../api/runs'
import { subscribe } from '../api/stream'
import type { Filter, FleetPlace, KindName } from '../api/types'
import { fleets, projects } from '../app/projects'
import { appendRows, applyChange, type Change, isUnclear, type Row, type Rows } from './rows'

const PAGE = 50
/** What the server gives at once. */
const MOST = 500
/** Milliseconds. */
const BURST = 400
/** Nothing tells that a run moves up in a queue of the fleet. Milliseconds between two looks. */
const PLACES = 4000

export interface RunList<Brief extends Row> {
  filter: Signal<Filter>
  rows: Signal<Rows<Brief> | null>
  damaged: Signal<readonly DamagedRun[]>
  /** Where runs are that other machines drive, by id. */
  places: Signal<Readonly<Record<string, FleetPlace>>>
  problem: Signal<Problem | null>
  /** The dialog for a new one is open; it can be asked for from every page. */
  creating: Signal<boolean>
  loading: Signal<boolean>
  hasMore: ReadonlySignal<boolean>
  reload: () => Promise<void>
  more: () => Promise<void>
  narrow: (change: Partial<Filter>) => void
  /** Follows all of them until the returned function is called. */
  follow: () => () => void
}

/** What the stream of all changes calls those of each kind. */
const EVENTS: Readonly<Record<KindName, string>> = { loop: 'entry', cycle: 'cycle_entry', tuning: 'tuning_entry' }

export function runList<Brief extends Row>(kind: KindName): RunList<Brief> {
  const filter = signal<Filter>({ status: 'all', search: '', project: undefined })
  const rows = signal<Rows<Brief> | null>(null)
  const damaged = signal<readonly DamagedRun[]>([])
  const places = signal<Readonly<Record<string, FleetPlace>>>({})
  const problem = signal<Problem | null>(null)
  const loading = signal(false)
  /** Counts the questions to the server, so that a late answer to an early one is dropped. */
  let asked = 0
  /** Changes that came while the list was being read. */
  let meanwhile: Change<Brief>[] = []
  let soon = 0

  const reading = async (read: () => Promise<Rows<Brief>>): Promise<void> => {
    asked += 1
    const mine = asked
    loading.value = true
    try {
      const found = await read()
      if (mine !== asked) return
      batch(() => {
        rows.value = meanwhile.reduce((list, change) => applyChange(list, change, shown()), found)
        problem.value = null
      })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (mine === asked) problem.value = error
    } finally {
      if (mine === asked) {
        loading.value = false
        meanwhile = []
      }
    }
  }
  /** Without a choice the server lists its first project; the stream tells of all of them. */
  const shown = (): Filter => ({ ...filter.value, project: filter.value.project ?? projects.value[0]?.name })
  const shownLimit = () => Math.min(MOST, Math.max(PAGE, rows.value?.all.length ?? 0))
  /** Where the runs are now. What is in the way of that, the stream and the next question tell. */
  const lookAround = async (): Promise<void> => {
    if (document.hidden || fleets.value.length === 0 || rows.value === null) return
    const wanted = filter.value
    try {
      const found = await listRuns<Brief>(kind, wanted, 0, shownLimit())
      if (wanted === filter.value) places.value = found.places
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }
  const reload = async (): Promise<void> => {
    const wanted = filter.value
    const limit = shownLimit()
    meanwhile = []
    await reading(async () => {
      const found = await listRuns<Brief>(kind, wanted, 0, limit)
      damaged.value = found.damaged
      places.value = found.places
      return { all: found.rows, total: found.total }
    })
  }
  const more = async (): Promise<void> => {
    const known = rows.value
    if (known === null) return
    await reading(async () => {
      const found = await listRuns<Brief>(kind, filter.value, known.all.length, PAGE)
      places.value = { ...places.value, ...found.places }
      return appendRows(rows.value ?? known, found.rows, found.total)
    })
  }
  /** Where it is gone, only its id is told. */
  const changeOf = (data: unknown): Change<Brief> => {
    const entry = data as Record<string, Brief | null>
    const brief = entry[kind] ?? null
    return { id: idOf(kind, entry), row: brief && rowOf(kind, brief) }
  }
  const take = (change: Change<Brief>): void => {
    if (loading.value) meanwhile.push(change)
    if (rows.value === null) return
    if (isUnclear(rows.value, change, shown())) askSoon()
    else rows.value = applyChange(rows.value, change, shown())
  }
  /** Once for a burst of changes. */
  const askSoon = (): void => {
    window.clearTimeout(soon)
    soon = window.setTimeout(() => void reload(), BURST)
  }

  return {
    filter,
    rows,
    damaged,
    places,
    problem,
    creating: signal(false),
    loading,
    hasMore: computed(() => rows.value !== null && rows.value.all.length < rows.value.total),
    reload,
    more,
    narrow: (change) => {
      filter.value = { ...filter.value, ...change }
      void reload()
    },
    follow: () => {
      void reload()
      const timer = window.setInterval(() => void lookAround(), PLACES)
      const end = subscribe({
        url: () => '/api/stream',
        on: { [EVENTS[kind]]: (data) => take(changeOf(data)), reset: () => void reload() },
        again: () => void reload(),
      })
      return () => {
        window.clearInterval(timer)
        end()
      }
    },
  }
}
