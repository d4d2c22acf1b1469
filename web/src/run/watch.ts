// What a page follows of a loop or a cycle: its stream, with the lines of its transcript and journal.
import { type Signal, signal } from '@preact/signals'
import { ask, get, Problem } from '../api/client'
import { listen } from '../api/stream'
import type { Entry } from '../api/types'
import type { Place } from '../app/place'
import { type Folded, folded, NOTHING, type Note, noteOf } from './notes'
import { type Resource, resource } from './resource'

/** Milliseconds that notes are gathered before they are shown: a flood is a few frames, not a frame for each. */
const BURST = 80
const LINES_BEFORE = 500
const ENTRIES_KEPT = 2000
const ENTRIES_BEFORE = 1000

export interface Followed {
  place: Place
  /** What is said and done; null until it was read. */
  talk: Signal<Folded | null>
  /** The journal from some line on, oldest first. */
  entries: Signal<readonly Entry[]>
  /** Reads what was before the stream into `entries`; says from which line on. */
  events: Resource<number>
  isGone: Signal<boolean>
}

/** `rev`: the version that the page shows. */
export function followed(place: Place, rev: () => number): Followed {
  const entries = signal<readonly Entry[]>([])
  return {
    place,
    talk: signal(null),
    entries,
    events: resource(async () => {
      const last = entries.value.at(-1)?.seq ?? rev()
      add(entries, await entriesBefore(place, last + 1))
      return entries.value[0]?.seq ?? 0
    }),
    isGone: signal(false),
  }
}

/** The last lines of the journal before that one. */
export function entriesBefore(place: Place, seq: number): Promise<Entry[]> {
  const after = Math.max(0, seq - 1 - ENTRIES_BEFORE)
  return get<Entry[]>(place.path('/events', { after, limit: ENTRIES_BEFORE }))
}

export function add(entries: Signal<readonly Entry[]>, more: readonly Entry[]): void {
  const bySeq = new Map([...entries.value, ...more].map((entry) => [entry.seq, entry]))
  entries.value = [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

interface Hearing {
  /** A change of this type was committed. */
  changed: (type: string) => void
  /** The line was lost and found. */
  again: () => void
}

/** Listens from the version that was read, so that nothing is left out in between; until the function is called. */
export function follow(seen: Followed, rev: number, { changed, again }: Hearing): () => void {
  const talk = gathered(seen)
  /** Entry and bytes of the transcripts, as the stream's ids say it. */
  let after = String(rev)
  let isOver = false
  let end = () => {}
  const gone = () => {
    seen.isGone.value = true
    end()
  }
  const handlers = {
    url: () => seen.place.path('/stream', { after }),
    on: {
      entry: (data: unknown, id: string) => {
        const entry = data as Entry
        after = id
        add(seen.entries, [entry])
        if (seen.entries.value.length > ENTRIES_KEPT) seen.entries.value = seen.entries.value.slice(-ENTRIES_KEPT)
        changed(entry.type)
      },
      note: (data: unknown, id: string) => {
        after = id
        talk.take(data)
      },
      gone,
    },
    again,
    refused: () => void isMissing(seen.place).then((missing) => missing && gone()),
  }
  void talk.read().then((position) => {
    if (position !== null) after += `.${position}`
    if (!isOver) end = listen(handlers)
  })
  return () => {
    isOver = true
    end()
    talk.end()
  }
}

/** Deleted while nobody could tell the page: between its reading and its listening, or with the line lost. */
async function isMissing(place: Place): Promise<boolean> {
  try {
    await get(place.path())
    return false
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.status === 404
  }
}

/** Lines that were written before, then notes of the stream, which goes on where they end. */
function gathered(seen: Followed) {
  let waiting: Note[] = []
  let timer = 0

  const say = (notes: readonly Note[]) => {
    seen.talk.value = folded(seen.talk.value ?? NOTHING, notes)
  }
  const flush = () => {
    timer = 0
    const notes = waiting
    waiting = []
    say(notes)
  }
  return {
    /** Says where the next line will begin; null where that cannot be known. */
    read: async (): Promise<number | string | null> => {
      try {
        const { body } = await ask<Lines>('GET', seen.place.path('/transcript', { limit: LINES_BEFORE }))
        say(body.data.map(noteOf).filter((note) => note !== null))
        return body.position
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        // Without what was before, there is still what comes.
        say([])
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
