// Which colour a tuning session, its gate, its findings and its fixes speak in.
import type { BriefTuning, Gate, Severity } from '../api/tunings'
import { lookOf, type RunLook, type Tone } from '../ui/tones'
import type { FixState } from './findings'
import { t } from './i18n'

export const GATE_TONES: Record<Gate, Tone> = { pass: 'good', review: 'warn', fail: 'bad' }

export const SEVERITY_TONES: Record<Severity, Tone> = { critical: 'bad', high: 'bad', medium: 'warn', low: 'idle' }

export const FIX_TONES: Record<FixState, Tone> = {
  offered: 'warn',
  proposed: 'idle',
  pending: 'info',
  applied: 'info',
  verified: 'good',
  undone: 'idle',
  rejected: 'bad',
  dropped: 'idle',
  refused: 'idle',
}

/** How the session stands, or how it ended. One that did all it should is done: how good the skill is says its gate. */
export function tuningLook({ status, outcome, gate }: Pick<BriefTuning, 'status' | 'gate' | 'outcome'>): RunLook {
  if (status === 'pending') return { tone: 'idle', words: t('status.pending'), live: false }
  if (outcome === 'succeeded' && gate) return { tone: GATE_TONES[gate], words: t('status.completed'), live: false }
  return lookOf({ status, outcome, parked_until: null })
}
