// Which changes leave what is read beside the state as it is. Pure.

/** Changes of the state that leave no trace in the files. */
const STATE_ONLY: ReadonlySet<string> = new Set([
  'lease_taken',
  'session',
  'session_left',
  'answered',
  'edited',
  'permission_asked',
  'permission_answered',
  'permission_taken',
  'permission_withdrawn',
  'permissions_forgotten',
  'question_asked',
  'question_taken',
  'menu_opened',
  'menu_chosen',
  'notification_failed',
])

export function isStateOnly(type: string): boolean {
  return STATE_ONLY.has(type)
}
