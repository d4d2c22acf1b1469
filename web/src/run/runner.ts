// Whether somebody works on the loop. Pure.
import type { Status } from '../api/types'

export type Runner = 'live' | 'starting' | 'lost' | 'none'

/** A runner takes hold of its loop within that time. Milliseconds. */
const PATIENCE = 15_000

/** `quiet`: how long ago the loop changed. */
export function runnerOf(status: Status, isLive: boolean, quiet: number): Runner {
  if (isLive) return 'live'
  if (status !== 'running') return 'none'
  return quiet > PATIENCE ? 'lost' : 'starting'
}
