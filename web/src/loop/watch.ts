// Everything the page knows about one loop, kept true by the loop's stream: an entry makes parts old, a note is said.
import { type Signal, signal } from '@preact/signals'
import { ask, get, Problem, type Query, withQuery } from '../api/client'
import { listen } from '../api/stream'
import type { Entry, Loop, LoopRef, LoopView } from '../api/types'
import { type Folded, folded, NOTHING, type Note, noteOf } from './notes'
import { type Resource, resource } from './resource'
import type {
  CheckpointView,
  DiffAnswer,
  Hypothesis,
  PlanLine,
  ProgressFile,
  Step,
  TestResult,
  Validation,
} from './shapes'
import { PARTS, staleAfter } from './stale'

/** Milliseconds that notes are gathered before they are shown: a flood is a few frames, not a frame for each. */
const BURST = 80
const LINES_BEFORE = 500
const ENTRIES_KEPT = 2000
const ENTRIES_BEFORE = 1000

export interface Watched {
  at: LoopRef
  loop: Resource<LoopView>
  plan: Resource<PlanLine[]>
  timeline: Resource<Step[]>
  checkpoints: Resource<CheckpointView[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  tests: Resource<TestResult[]>
  hypotheses: Resource<Hypothesis[]>
  files: Resource<ProgressFile[]>
  /** What is said and done; null until it was read. */
  talk: Signal<Folded | null>
  /** The journal from some line on, oldest first. */
  entries: Signal<readonly Entry[]>
  /** Reads what was before the stream into `entries`; says from which line on. */
  events: Resource<number>
  isGone: Signal<boolean>
}

/** The address of something of this loop's. */
export function pathOf(at: LoopRef, rest = '', query: Query = {}): string {
  return withQuery(`/api/loops/v2/${encodeURIComponent(at.id)}${rest}`, { ...query, project: at.project })
}

export function watched(at: LoopRef): Watched {
  const of = <T>(rest: string) => resource(() => get<T>(pathOf(at, rest)))
  const entries = signal<readonly Entry[]>([])
  const loop = resource(() => loopView(at))
  return {
    at,
    loop,
    plan: of('/plan'),
    timeline: of('/timeline'),
    checkpoints: of('/checkpoints'),
    diff: of('/diff'),
    history: of('/history'),
    tests: of('/tests'),
    hypotheses: of('/hypotheses'),
    files: of('/progress'),
    talk: signal(null),
    entries,
    events: resource(async () => {
      const rev = entries.value.at(-1)?.seq ?? loop.data.value?.loop.engine.rev ?? 0
      add(entries, await entriesBefore(at, rev + 1))
      return entries.value[0]?.seq ?? 0
    }),
    isGone: signal(false),
  }
}

/** The last lines of the journal before that one. */
export function entriesBefore(at: LoopRef, seq: number): Promise<Entry[]> {
  const after = Math.max(0, seq - 1 - ENTRIES_BEFORE)
  return get<Entry[]>(pathOf(at, '/events', { after, limit: ENTRIES_BEFORE }))
}

export function add(entries: Signal<readonly Entry[]>, more: readonly Entry[]): void {
  const bySeq = new Map([...entries.value, ...more].map((entry) => [entry.seq, entry]))
  entries.value = [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

/** Listens from the version that was read, so that nothing is left out in between; until the function is called. */
export function follow(seen: Watched): () => void {
  const talk = gathered(seen)
  /** Entry and byte of the transcript, as the stream's ids say it. */
  let after = String(seen.loop.data.value?.loop.engine.rev ?? 0)
  let isOver = false
  let end = () => {}
  const handlers = {
    url: () => pathOf(seen.at, '/stream', { after }),
    on: {
      entry: (data: unknown, id: string) => {
        const entry = data as Entry
        after = id
        add(seen.entries, [entry])
        if (seen.entries.value.length > ENTRIES_KEPT) seen.entries.value = seen.entries.value.slice(-ENTRIES_KEPT)
        for (const part of staleAfter(entry.type)) seen[part].touch()
      },
      note: (data: unknown, id: string) => {
        after = id
        talk.take(data)
      },
      gone: () => {
        seen.isGone.value = true
        end()
      },
    },
    again: () => {
      for (const part of PARTS) seen[part].touch()
    },
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

/** Lines that were written before, then notes of the stream, which goes on where they end. */
function gathered(seen: Watched) {
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
    /** Says where the next line will begin; null where that can not be known. */
    read: async (): Promise<number | null> => {
      try {
        const { body } = await ask<Lines>('GET', pathOf(seen.at, '/transcript', { limit: LINES_BEFORE }))
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
  position: number
}

async function loopView(at: LoopRef): Promise<LoopView> {
  const { body, etag } = await ask<{ data: Loop; project: string; live?: boolean }>('GET', pathOf(at))
  return { loop: body.data, project: body.project, live: body.live ?? false, etag }
}
