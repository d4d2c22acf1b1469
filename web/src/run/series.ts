// Validations as columns of numbers, the way a chart wants them. Pure.
import type { Validation } from '../api/details'

export type Column = (number | null)[]

export interface Series {
  /** 1, 2, 3 …: validations, not time; they are hours or seconds apart. */
  runs: number[]
  passed: Column
  failed: Column
  skipped: Column
  coverage: Column
}

export function seriesOf(history: readonly Validation[]): Series {
  return {
    runs: history.map((_, at) => at + 1),
    passed: history.map(passedOf),
    failed: history.map((run) => run.failed),
    skipped: history.map((run) => run.skipped),
    coverage: history.map((run) => run.coverage),
  }
}

export function passedOf(run: Validation): number | null {
  return run.total === null ? null : Math.max(0, run.total - (run.failed ?? 0) - (run.skipped ?? 0))
}

export function isKnown(column: Column): boolean {
  return column.some((value) => value !== null)
}
