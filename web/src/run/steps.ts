// The timeline's steps as a person reads them: how long each took, and how it ended. Pure.
import type { Step } from '../api/details'

export type Tone = 'good' | 'bad' | 'neutral' | 'running'

/** What the words of a result mean, by action; the first that fits. */
const RESULTS: readonly (readonly [RegExp, Tone])[] = [
  [/^(pass|succeeded|fix applied|completed)\b/, 'good'],
  [/^(fail|failed|error|stalled|exhausted|over_budget|stopped|interrupted)\b/, 'bad'],
]

export function toneOf(step: Step): Tone {
  if (step.ended_at === null) return 'running'
  return RESULTS.find(([words]) => words.test(step.result ?? ''))?.[1] ?? 'neutral'
}

/** Milliseconds, up to now for a step under way. */
export function durationOf(step: Step, now: number): number {
  const end = step.ended_at === null ? now : Date.parse(step.ended_at)
  return Math.max(0, end - Date.parse(step.started_at))
}

/** A step's part of all steps' time, in percent; short ones stay wide enough to be seen and met. */
export function widthsOf(steps: readonly Step[], now: number): number[] {
  const times = steps.map((step) => durationOf(step, now))
  const all = times.reduce((sum, time) => sum + time, 0)
  const least = all / Math.max(40, 2 * steps.length)
  const raised = times.map((time) => Math.max(time, least, 1))
  const raisedAll = raised.reduce((sum, time) => sum + time, 0)
  return raised.map((time) => (100 * time) / raisedAll)
}
