// What a person can do with a tuning session, by its status: the one table behind every button. Pure.
import type { Offer } from '../actions/possible'
import type { Tuning, TuningStatus } from '../api/tunings'

export type Deed = 'start' | 'take_up' | 'stop' | 'recover' | 'delete'

/** How a session is, as far as the table needs to know; it needs no runner while it waits for a choice. */
export type Standing = TuningStatus | 'waiting' | 'orphaned'

const OFFERS: Record<Standing, Offer<Deed>> = {
  pending: { first: ['start'], rest: ['stop', 'recover', 'delete'] },
  running: { first: ['stop'], rest: [] },
  waiting: { first: ['stop'], rest: ['recover', 'delete'] },
  orphaned: { first: ['take_up', 'stop'], rest: ['recover', 'delete'] },
  completed: { first: [], rest: ['recover', 'delete'] },
  failed: { first: [], rest: ['recover', 'delete'] },
}

export function standing({ status, engine }: Pick<Tuning, 'status' | 'engine'>, live: boolean): Standing {
  if (status !== 'running' || live) return status
  return engine.waiting ? 'waiting' : 'orphaned'
}

export function offered(how: Standing): Offer<Deed> {
  return OFFERS[how]
}
