// Which colour the states of roles, tasks and results speak in.
import type { PlanStatus, RoleStatus } from '../api/cycles'
import type { Tone } from '../ui/tones'

export const ROLE_TONES: Record<RoleStatus, Tone> = {
  idle: 'idle',
  running: 'info',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
}

export const PLAN_TONES: Record<PlanStatus, Tone> = {
  pending: 'idle',
  in_progress: 'info',
  completed: 'good',
  blocked: 'warn',
}

const RESULT_TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  partial: 'warn',
  failed: 'bad',
  pending: 'idle',
  unchanged: 'idle',
}

/** Of what a role did in an iteration. */
export function resultTone(status: string): Tone {
  return RESULT_TONES[status] ?? 'idle'
}
