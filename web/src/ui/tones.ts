// Which colour a status speaks in: one table for the whole dashboard.
import type { BriefLoop, Outcome, Status, TaskStatus } from '../api/types'
import { type Key, t } from '../i18n'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle'

interface Look {
  tone: Tone
  words: Key
  live?: boolean
}

const STATUS: Record<Status, Look> = {
  created: { tone: 'idle', words: 'status.created' },
  running: { tone: 'info', words: 'status.running', live: true },
  paused: { tone: 'warn', words: 'status.paused' },
  user_exit: { tone: 'warn', words: 'status.user_exit' },
  completed: { tone: 'good', words: 'status.completed' },
  failed: { tone: 'bad', words: 'status.failed' },
}

/** How a loop ended says more than that it did. */
const OUTCOME: Record<Outcome, Look> = {
  succeeded: { tone: 'good', words: 'outcome.succeeded' },
  unproven: { tone: 'warn', words: 'outcome.unproven' },
  unverified: { tone: 'warn', words: 'outcome.unverified' },
  exhausted: { tone: 'bad', words: 'outcome.exhausted' },
  stalled: { tone: 'bad', words: 'outcome.stalled' },
  over_budget: { tone: 'bad', words: 'outcome.over_budget' },
  stopped: { tone: 'idle', words: 'outcome.stopped' },
  failed: { tone: 'bad', words: 'outcome.failed' },
}

const PARKED: Look = { tone: 'idle', words: 'status.parked' }

export const TASK_TONES: Record<TaskStatus, Tone> = {
  pending: 'idle',
  in_progress: 'info',
  completed: 'good',
  failed: 'bad',
}

/** In the person's words; `live`: it works now. */
export interface RunLook {
  tone: Tone
  words: string
  live: boolean
}

export function lookOf({
  status,
  outcome,
  parked_until,
}: Pick<BriefLoop, 'status' | 'outcome' | 'parked_until'>): RunLook {
  const isParked = status === 'paused' && parked_until
  const { tone, words, live = false } = outcome ? OUTCOME[outcome] : isParked ? PARKED : STATUS[status]
  return { tone, words: t(words), live }
}
