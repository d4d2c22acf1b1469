// The list that is on the screen: read once, then kept by the stream of all loops.
import { batch, computed, signal } from '@preact/signals'
import { Problem } from '../api/client'
import { type Filter, listLoops, listProjects } from '../api/loops'
import { listen } from '../api/stream'
import type { Damaged, EntryOfAll, Project } from '../api/types'
import { appended, changed, isUnclear, type Rows } from './rows'

const PAGE = 50
/** What the server gives at once. */
const MOST = 500
/** Milliseconds. */
const BURST = 400

export const filter = signal<Filter>({ status: 'all', search: '', project: undefined })
export const projects = signal<readonly Project[]>([])
export const rows = signal<Rows | null>(null)
/** Loops whose files can not be read. */
export const damaged = signal<readonly Damaged[]>([])
export const problem = signal<Problem | null>(null)
/** The dialog for a new loop is open; it can be asked for from every page. */
export const creating = signal(false)
export const loading = signal(false)
export const hasMore = computed(() => rows.value !== null && rows.value.loops.length < rows.value.total)

/** Counts the questions to the server, so that a late answer to an early one is dropped. */
let asked = 0
/** Changes that came while the list was being read. */
let meanwhile: EntryOfAll[] = []
let soon = 0

export async function reload(): Promise<void> {
  const wanted = filter.value
  const limit = Math.min(MOST, Math.max(PAGE, rows.value?.loops.length ?? 0))
  meanwhile = []
  await reading(async () => {
    const page = await listLoops(wanted, 0, limit)
    damaged.value = page.damaged
    return { loops: page.data, total: page.total }
  })
}

export async function more(): Promise<void> {
  const known = rows.value
  if (known === null) return
  await reading(async () => {
    const page = await listLoops(filter.value, known.loops.length, PAGE)
    return appended(rows.value ?? known, page.data, page.total)
  })
}

async function reading(read: () => Promise<Rows>): Promise<void> {
  asked += 1
  const mine = asked
  loading.value = true
  try {
    const found = await read()
    if (mine !== asked) return
    batch(() => {
      rows.value = meanwhile.reduce((list, entry) => changed(list, entry, shownFilter()), found)
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

export function narrow(change: Partial<Filter>): void {
  filter.value = { ...filter.value, ...change }
  void reload()
}

/** Follows all loops until the returned function is called. */
export function follow(): () => void {
  void reload()
  void readProjects()
  return listen({
    url: () => '/api/stream',
    on: {
      entry: (data) => take(data as EntryOfAll),
      reset: () => void reload(),
    },
    again: () => void reload(),
  })
}

function take(entry: EntryOfAll): void {
  if (loading.value) meanwhile.push(entry)
  if (rows.value === null) return
  if (isUnclear(rows.value, entry, shownFilter())) askSoon()
  else rows.value = changed(rows.value, entry, shownFilter())
}

/** Once for a burst of changes. */
function askSoon(): void {
  window.clearTimeout(soon)
  soon = window.setTimeout(() => void reload(), BURST)
}

/** Without a choice the server lists its first project; the stream tells of all of them. */
function shownFilter(): Filter {
  return { ...filter.value, project: filter.value.project ?? projects.value[0]?.name }
}

async function readProjects(): Promise<void> {
  try {
    projects.value = await listProjects()
  } catch (error) {
    // The list itself says what is wrong; without the names there is just no switch.
    if (!(error instanceof Problem)) throw error
  }
}
