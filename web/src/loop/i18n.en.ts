// English. `one|many` is chosen by {n}.
export const en = {
  back: 'All loops',
  'missing.title': 'There is no such loop',
  'missing.words': 'It may have been deleted, or it belongs to a project that this server does not have open.',
  'gone.title': 'This loop was deleted',
  'gone.words': 'Its history and checkpoints were deleted with it. The project’s files stay as they are.',
  'damaged.title': 'This loop’s state is damaged',
  'damaged.words': 'Recover rebuilds it from the journal and the progress files. Damaged files are kept.',

  'list.title': 'Loops',
  'list.new': 'New loop',
  'list.search': 'Search loops',
  'list.loading': 'Loading the loops…',
  'list.count': '{n} loop|{n} loops',
  'list.damaged': '{n} loop cannot be read:|{n} loops cannot be read:',
  'list.none': 'No loop matches this status and search.',
  'list.clear': 'Show all loops',
  'list.empty': 'No loops yet',
  'list.empty_words':
    'Say what to do. A loop does it task by task, runs the tests after each change, and debugs failures until all tests pass.',
  'create.hint': 'A sentence is enough: a bug to fix, a feature to build, tests to fix.',
  'create.mode.auto': 'The loop decides each step and stops when the tests prove it.',
  'create.mode.interactive': 'You choose each next step from a menu.',
  'create.agent': 'Agent',
  'needs.answer': 'Asks a question',
  'needs.permission': 'Asks for permission',
  'needs.choice': 'Waits for your choice',

  'tabs.label': 'Sections of this loop',
  'ask.title': 'The loop has a question',
  'ask.settle': 'The loop waits for a problem to be fixed',
  'do.stop_title': 'Stop this loop for good?',
  'do.stop_words':
    'It ends as failed, with everything it started. Its changes to the project stay. To continue later, pause it instead.',
  'do.delete_title': 'Delete this loop?',
  'do.delete_words':
    'Its history, checkpoints and progress files are deleted. Its changes to the project stay. This cannot be undone.',
  'do.recover_title': 'Rebuild this loop from its files?',
  'do.recover_words':
    'For a loop whose state is damaged: rebuilds it from its journal and progress files. Damaged files are kept.',
  'do.reopen_title': 'Reopen this loop',
} as const
