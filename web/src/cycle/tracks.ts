// Steps as bars on tracks: one track a role, and more where a role did several things at once. Pure.
import { durationOf } from '../run/steps'
import type { RoleStep } from './parts'

export interface Bar {
  step: RoleStep
  /** Percent of the whole time. */
  left: number
  width: number
}

interface Track {
  role: string | null
  bars: Bar[]
}

/** Narrower ones could not be seen. Percent. */
const LEAST = 0.6
const ORDER: readonly (string | null)[] = ['ra', 'ep', 'cd', 'vas', null]
/** Older ones could not be told from each other. */
const MOST_STEPS = 200

export function tracksOf(all: readonly RoleStep[], now: number): Track[] {
  const steps = all.slice(-MOST_STEPS)
  const begin = Math.min(...steps.map(({ started_at }) => Date.parse(started_at)))
  const end = Math.max(...steps.map((step) => Date.parse(step.started_at) + durationOf(step, now)))
  const whole = Math.max(1, end - begin)
  const tracks: (Track & { until: number })[] = []
  for (const step of steps) {
    const from = Date.parse(step.started_at)
    const until = from + durationOf(step, now)
    const bar = {
      step,
      left: Math.min(100 - LEAST, (100 * (from - begin)) / whole),
      width: Math.max(LEAST, (100 * (until - from)) / whole),
    }
    const free = tracks.find((track) => track.role === step.role && track.until <= from)
    const before = free?.bars.at(-1)
    // What took no time was drawn wider than it was: the next one begins behind it.
    if (before) bar.left = Math.min(100 - bar.width, Math.max(bar.left, before.left + before.width))
    if (free) {
      free.bars.push(bar)
      free.until = until
    } else tracks.push({ role: step.role, bars: [bar], until })
  }
  return tracks.map(({ role, bars }) => ({ role, bars })).sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role))
}
