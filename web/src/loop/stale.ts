// Which parts of a loop's page a committed change makes old. Pure.
import { isStateOnly } from '../run/stale'

type Part = 'plan' | 'timeline' | 'files'

const PLAN: readonly Part[] = ['plan']

/** By the entry's type. What is not named changes everything: rather a request too many than an old page. */
const BY_TYPE: Readonly<Record<string, readonly Part[]>> = {
  started: PLAN,
  running: PLAN,
  paused: PLAN,
  resumed: PLAN,
  task_added: PLAN,
  tasks_generated: PLAN,
  issue_imported: PLAN,
  task_edited: PLAN,
  task_removed: PLAN,
  tasks_reordered: PLAN,
  action_started: ['plan', 'timeline', 'files'],
}

/** Beside the state itself; null: all of them. */
export function partsAfter(type: string): readonly Part[] | null {
  return isStateOnly(type) ? [] : (BY_TYPE[type] ?? null)
}
