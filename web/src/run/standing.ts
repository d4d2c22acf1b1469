// How a run stands beside its status: why it is paused, and whether somebody works on it. Pure.
import type { Pause } from '../api/types'
import { t } from './i18n'

interface Paused {
  status: string
  engine: {
    waiting?: { by_resuming?: boolean | null } | null
    parked?: object | null
    retry?: readonly string[]
  }
}

export function pauseOf({ status, engine }: Paused): Pause | null {
  if (status !== 'paused') return null
  if (engine.waiting) return engine.waiting.by_resuming ? 'settling' : 'question'
  if (engine.parked) return 'limit'
  return engine.retry?.length ? 'task' : 'request'
}

type RunnerState = 'live' | 'starting' | 'lost' | 'none'

/** A runner takes hold of its run within that time. Milliseconds. */
const PATIENCE = 15_000

/** `quiet`: how long ago the run changed. */
export function runnerOf(status: string, isLive: boolean, quiet: number): RunnerState {
  if (status === 'pending') return 'none'
  if (isLive) return 'live'
  if (status !== 'running') return 'none'
  return quiet > PATIENCE ? 'lost' : 'starting'
}

/** The branch of a run that works in a worktree, as its head names it. */
export function branchFacts(branch: { name: string; named?: string | null } | null | undefined): [string, string][] {
  return branch ? [[t('standing.branch'), branch.named ?? branch.name]] : []
}
