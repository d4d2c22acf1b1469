// Which parts of the page a committed change makes old. Pure.

export const PARTS = [
  'loop',
  'plan',
  'timeline',
  'checkpoints',
  'diff',
  'history',
  'tests',
  'hypotheses',
  'files',
] as const
export type Part = (typeof PARTS)[number]

const ONLY_THE_LOOP: readonly Part[] = ['loop']

/** By the entry's type. What is not named changes everything: rather a request too many than an old page. */
const BY_TYPE: Readonly<Record<string, readonly Part[]>> = {
  lease_taken: ONLY_THE_LOOP,
  session: ONLY_THE_LOOP,
  session_left: ONLY_THE_LOOP,
  answered: ONLY_THE_LOOP,
  edited: ONLY_THE_LOOP,
  permission_asked: ONLY_THE_LOOP,
  permission_answered: ONLY_THE_LOOP,
  permission_taken: ONLY_THE_LOOP,
  permission_withdrawn: ONLY_THE_LOOP,
  permissions_forgotten: ONLY_THE_LOOP,
  question_asked: ONLY_THE_LOOP,
  question_taken: ONLY_THE_LOOP,
  menu_opened: ONLY_THE_LOOP,
  menu_chosen: ONLY_THE_LOOP,
  notification_failed: ONLY_THE_LOOP,
  started: ['loop', 'plan'],
  running: ['loop', 'plan'],
  paused: ['loop', 'plan'],
  resumed: ['loop', 'plan'],
  task_added: ['loop', 'plan'],
  tasks_generated: ['loop', 'plan'],
  issue_imported: ['loop', 'plan'],
  task_edited: ['loop', 'plan'],
  task_removed: ['loop', 'plan'],
  tasks_reordered: ['loop', 'plan'],
  action_started: ['loop', 'plan', 'timeline', 'files'],
}

export function staleAfter(type: string): readonly Part[] {
  return BY_TYPE[type] ?? PARTS
}
