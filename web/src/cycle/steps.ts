// A step of a cycle by its key: `ra.analyse`, `cd.implement TASK-001`. Pure.
import { type CycleEngine, ROLES, type Role } from '../api/cycles'

interface CurrentStep {
  step: string
  task: string | null
  at: string
  lane: number | null
}

/** The step's name, and the plan's task that it carries out. */
export function parseStepKey(key: string): { step: string; task: string | null } {
  const space = key.indexOf(' ')
  return space < 0 ? { step: key, task: null } : { step: key.slice(0, space), task: key.slice(space + 1) }
}

/** Whose step it is; null for the engine's own. */
export function roleOf(step: string): Role | null {
  return ROLES.find((role) => step.startsWith(`${role}.`)) ?? null
}

/** What a role is at now. */
export function currentSteps(engine: Pick<CycleEngine, 'under_way'>, role: Role): CurrentStep[] {
  return engine.under_way
    .map(({ step, at, lane }) => ({ ...parseStepKey(step), at, lane: lane ?? null }))
    .filter(({ step }) => roleOf(step) === role)
}
