// What a person can do with a run, by its kind and status: the one table behind every button. Pure.
import type { FleetPlace, KindName } from '../api/types'

export type CommandName =
  | 'start'
  | 'pause'
  | 'pause_now'
  | 'keep_paused'
  | 'resume'
  | 'take_up'
  | 'tell'
  | 'extend'
  | 'reopen'
  | 'stop'
  | 'recover'
  | 'delete'

export interface Offer {
  /** The first one is what most people want. */
  first: readonly CommandName[]
  /** Behind "more". */
  rest: readonly CommandName[]
  /** Whether the first one stands out. */
  urges: boolean
}

interface Commands {
  first: readonly CommandName[]
  rest: readonly CommandName[]
}

/** A run that works, or waits for a person, urges nobody. */
const CALM: readonly string[] = ['running', 'waiting']

const LOOPS: Readonly<Record<string, Commands>> = {
  created: { first: ['start'], rest: ['stop', 'recover', 'delete'] },
  running: { first: ['pause', 'pause_now', 'tell', 'stop'], rest: [] },
  orphaned: { first: ['take_up', 'pause', 'stop'], rest: ['recover'] },
  paused: { first: ['resume', 'tell', 'stop'], rest: ['recover', 'delete'] },
  parked: { first: ['resume', 'keep_paused', 'stop'], rest: ['recover', 'delete'] },
  user_exit: { first: ['resume', 'stop'], rest: ['recover', 'delete'] },
  completed: { first: ['reopen'], rest: ['recover', 'delete'] },
  failed: { first: ['reopen'], rest: ['recover', 'delete'] },
}

export const OFFERS: Readonly<Record<KindName, Readonly<Record<string, Commands>>>> = {
  loop: LOOPS,
  cycle: {
    ...LOOPS,
    running: { first: ['pause', 'pause_now', 'tell', 'extend', 'stop'], rest: [] },
    paused: { first: ['resume', 'tell', 'extend', 'stop'], rest: ['recover', 'delete'] },
    parked: { first: ['resume', 'keep_paused', 'stop'], rest: ['extend', 'recover', 'delete'] },
    completed: { first: ['extend'], rest: ['reopen', 'recover', 'delete'] },
    failed: { first: ['reopen', 'extend'], rest: ['recover', 'delete'] },
  },
  tuning: {
    pending: { first: ['start'], rest: ['stop', 'recover', 'delete'] },
    running: { first: ['stop'], rest: [] },
    waiting: { first: ['stop'], rest: ['recover', 'delete'] },
    orphaned: { first: ['take_up', 'stop'], rest: ['recover', 'delete'] },
    completed: { first: [], rest: ['recover', 'delete'] },
    failed: { first: [], rest: ['recover', 'delete'] },
  },
}

interface Standing {
  status: string
  live: boolean
  isParked?: boolean
  /** It waits for a person, and needs no runner for that. */
  waits?: boolean
}

/** How a run is, as far as the table needs to know: its status, or `parked`, `waiting`, `orphaned`. */
export function standingOf({ status, live, isParked = false, waits = false }: Standing): string {
  if (status === 'paused' && isParked) return 'parked'
  if (status !== 'running' || live) return status
  return waits ? 'waiting' : 'orphaned'
}

export function offerOf(kind: KindName, standing: string): Offer {
  const { first, rest } = OFFERS[kind][standing] ?? { first: [], rest: [] }
  return { first, rest, urges: !CALM.includes(standing) }
}

/** What is left of an offer where other machines drive the run: its files are not here, and the fleet begins it. */
export function offerAt(place: FleetPlace | null, offer: Offer): Offer {
  if (place === null) return offer
  const isHere = (command: CommandName) =>
    command === 'start' ? place.status === 'resting' : command !== 'recover' && command !== 'delete'
  const first = offer.first.filter(isHere)
  const rest = offer.rest.filter(isHere)
  return first.length > 0 ? { ...offer, first, rest } : { first: rest, rest: [], urges: false }
}
