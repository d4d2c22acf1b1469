// The fleet: machines that drive runs, accounts of agents, and what waits (docs/http-api.md).
import { get } from './client'
import type { FleetPlace, KindName } from './types'

/** `project`: the served one that submitted it, where it has its page. */
export interface FleetRun {
  id: string
  kind: KindName
  title: string
  account: string
  user: string
  since: string
  project: string | null
}

export interface QueuedRun extends FleetRun {
  priority: number
  before: number
  trouble: string
}

/** `age`: seconds since its last sign of life. */
export interface Machine {
  executor: string
  host: string
  slots: number
  version: string
  started: string
  age: number
  running: number
  runs: FleetRun[]
}

export interface Account {
  name: string
  slots: number
  user_slots: number | null
  closed_until: string | null
  closed_why: string | null
  running: number
  queued: number
  users: { user: string; running: number; queued: number }[]
}

/** `queue`: of each account those that come first. */
export interface Fleet {
  workers: Machine[]
  accounts: Account[]
  queue: QueuedRun[]
  runs: Partial<Record<FleetPlace['status'], number>>
}

export function readFleet(project: string): Promise<Fleet> {
  return get('/api/fleet', { project })
}
