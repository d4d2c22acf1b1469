// What a page knows of one run, kept true by the run's event stream: an entry makes parts old.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { get, Problem, type Query, request } from '../api/client'
import { readRun } from '../api/runs'
import { subscribe } from '../api/stream'
import type { Entry, RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import { createResource, type Resource } from './resource'
import { EMPTY, foldNotes, type Note, noteOf, type Transcript } from './transcript'

/** Milliseconds that notes are gathered before they are shown: a flood is a few frames, not a frame for each. */
const BURST = 80
const LINES_BEFORE = 500
const ENTRIES_KEPT = 2000
const ENTRIES_BEFORE = 1000

/** What every kind of run has. */
export interface RunEvents {
  address: RunAddress
  /** What is said and done; null until it was read. */
  transcript: Signal<Transcript | null>
  /** The journal from some line on, oldest first. */
  entries: Signal<readonly Entry[]>
  /** Reads what was before the stream into `entries`; says from which line on. */
  events: Resource<number>
  isGone: Signal<boolean>
}

/** Parts of a page, by name. */
export type AnyParts<Names> = Record<keyof Names, { touch: () => void }>

export type RunResources<State, Parts> = RunEvents & { view: Resource<RunView<State>>; parts: Parts }

export function createResources<State, Parts>(
  address: RunAddress,
  revOf: (state: State) => number,
  parts: Parts,
): RunResources<State, Parts> {
  const view = createResource(() => readRun<State>(address.path()))
  const entries = signal<readonly Entry[]>([])
  const events = createResource(async () => {
    const last = entries.value.at(-1)?.seq ?? (view.data.value ? revOf(view.data.value.run) : 0)
    addEntries(entries, await entriesBefore(address, last + 1))
    return entries.value[0]?.seq ?? 0
  })
  return { address, view, parts, transcript: signal(null), entries, events, isGone: signal(false) }
}

/** A part of the page that is read from one address below the run's own. */
export function createPart<T>(address: RunAddress, rest: string, query: Query = {}): Resource<T> {
  return createResource(() => get<T>(address.path(rest, query)))
}

/** One that only its own section reads; again whenever `version` changes. */
export function usePart<T>(
  address: RunAddress,
  rest: string,
  query?: Query,
  version?: string | number | null,
): Resource<T> {
  const part = useMemo(() => createPart<T>(address, rest, query), [address.path(rest, query)])
  useEffect(() => {
    if (version) part.touch()
  }, [part, version])
  return part
}

/** The last lines of the journal before that one. */
export function entriesBefore(address: RunAddress, seq: number): Promise<Entry[]> {
  const after = Math.max(0, seq - 1 - ENTRIES_BEFORE)
  return get<Entry[]>(address.path('/events', { after, limit: ENTRIES_BEFORE }))
}

export function addEntries(entries: Signal<readonly Entry[]>, more: readonly Entry[]): void {
  const bySeq = new Map([...entries.value, ...more].map((entry) => [entry.seq, entry]))
  entries.value = [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

/**
 * Listens from the version that was read, so that nothing is left out in between; until the function is called.
 * `changed`: a change of this type was committed; null: the line was lost and found.
 */
export function followRun(run: RunEvents, rev: number, changed: (type: string | null) => void): () => void {
  const notes = gatherNotes(run)
  /** Entry and bytes of the transcripts, as the stream's ids say it. */
  let after = String(rev)
  let isOver = false
  let end = () => {}
  const gone = () => {
    run.isGone.value = true
    end()
  }
  const handlers = {
    url: () => run.address.path('/stream', { after }),
    on: {
      entry: (data: unknown, id: string) => {
        const entry = data as Entry
        after = id
        addEntries(run.entries, [entry])
        if (run.entries.value.length > ENTRIES_KEPT) run.entries.value = run.entries.value.slice(-ENTRIES_KEPT)
        changed(entry.type)
      },
      note: (data: unknown, id: string) => {
        after = id
        notes.take(data)
      },
      gone,
    },
    again: () => changed(null),
    refused: () => void isMissing(run.address).then((missing) => missing && gone()),
  }
  void notes.read().then((position) => {
    if (position !== null) after += `.${position}`
    if (!isOver) end = subscribe(handlers)
  })
  return () => {
    isOver = true
    end()
    notes.end()
  }
}

/** Deleted while nobody could tell the page: between its reading and its listening, or with the line lost. */
async function isMissing(address: RunAddress): Promise<boolean> {
  try {
    await get(address.path())
    return false
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.status === 404
  }
}

/** Lines that were written before, then notes of the stream, which goes on where they end. */
function gatherNotes(run: RunEvents) {
  let waiting: Note[] = []
  let timer = 0

  const show = (notes: readonly Note[]) => {
    run.transcript.value = foldNotes(run.transcript.value ?? EMPTY, notes)
  }
  const flush = () => {
    timer = 0
    const notes = waiting
    waiting = []
    show(notes)
  }
  return {
    /** Says where the next line will begin; null where that cannot be known. */
    read: async (): Promise<number | string | null> => {
      try {
        const { data, position } = await request<Lines>('GET', run.address.path('/transcript', { limit: LINES_BEFORE }))
        show(data.map(noteOf).filter((note) => note !== null))
        return position
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        // Without what was before, there is still what comes.
        show([])
        return null
      }
    },
    take: (data: unknown) => {
      const note = noteOf(data)
      if (!note) return
      waiting.push(note)
      timer ||= window.setTimeout(flush, BURST)
    },
    end: () => window.clearTimeout(timer),
  }
}

interface Lines {
  data: unknown[]
  position: number | string
}
