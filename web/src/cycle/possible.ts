// What a person can do with a cycle, by its status: the one table behind every button. Pure.
import type { Offer } from '../actions/possible'
import type { Cycle, CycleStatus } from '../api/cycles'

export type Deed =
  | 'start'
  | 'pause'
  | 'pause_now'
  | 'keep_paused'
  | 'resume'
  | 'take_up'
  | 'extend'
  | 'reopen'
  | 'stop'
  | 'recover'
  | 'delete'

/** How a cycle is, as far as the table needs to know. */
export type Standing = CycleStatus | 'parked' | 'orphaned'

const OFFERS: Record<Standing, Offer<Deed>> = {
  created: { first: ['start'], rest: ['stop', 'recover', 'delete'] },
  running: { first: ['pause', 'pause_now', 'extend', 'stop'], rest: [] },
  orphaned: { first: ['take_up', 'pause', 'stop'], rest: ['recover'] },
  paused: { first: ['resume', 'extend', 'stop'], rest: ['recover', 'delete'] },
  parked: { first: ['resume', 'keep_paused', 'stop'], rest: ['extend', 'recover', 'delete'] },
  completed: { first: ['extend'], rest: ['reopen', 'recover', 'delete'] },
  failed: { first: ['reopen', 'extend'], rest: ['recover', 'delete'] },
}

export function standing(cycle: Pick<Cycle, 'status' | 'engine'>, live: boolean): Standing {
  if (cycle.status === 'paused' && cycle.engine.parked) return 'parked'
  return cycle.status === 'running' && !live ? 'orphaned' : cycle.status
}

export function offered(how: Standing): Offer<Deed> {
  return OFFERS[how]
}
