// The tokens of a skill's phases as bars of a chart. Pure.
import type { Stage } from '../api/tunings'

/** Tokens below which the format recommends a SKILL.md to stay. */
export const LIMIT = 5000

export interface Bar {
  stage: Stage
  /** Percent of the chart's width. */
  own: number
  loads: number
  isOver: boolean
}

export interface Bars {
  bars: Bar[]
  /** Where the limit stands, in percent of the width. */
  limit: number
}

/** The widest bar, or the limit, fills most of the width. */
export function barsOf(course: readonly Stage[], limit = LIMIT): Bars {
  const widest = Math.max(limit, ...course.map(({ own, loads }) => own + loads)) * 1.08
  const percent = (tokens: number) => (100 * tokens) / widest
  return {
    bars: course.map((stage) => ({
      stage,
      own: percent(stage.own),
      loads: percent(stage.loads),
      isOver: stage.own + stage.loads > limit,
    })),
    limit: percent(limit),
  }
}
