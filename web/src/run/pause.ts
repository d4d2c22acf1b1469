// Why a run is paused, by its state.
import type { Pause } from '../api/types'

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
