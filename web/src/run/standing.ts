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

interface Place {
  branch?: { name: string; named?: string | null } | null
  settings: { sandbox?: string }
}

/** The branch of a run that works in a worktree, and the sandbox that it is in, as its head names them. */
export function placeFacts({ branch, settings }: Place): [string, string][] {
  const { sandbox } = settings
  return [
    ...(branch ? ([[t('standing.branch'), branch.named ?? branch.name]] as [string, string][]) : []),
    ...(sandbox && sandbox !== 'none' ? ([[t('standing.sandbox'), sandbox]] as [string, string][]) : []),
  ]
}
