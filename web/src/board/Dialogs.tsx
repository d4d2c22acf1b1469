// The dialogs of the board, one at a time.
import { removeTask } from '../api/loops'
import type { Loop, LoopTask, Ref } from '../api/types'
import { t } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { GenerateDialog } from './GenerateDialog'
import { ImportDialog } from './ImportDialog'
import { TaskDialog } from './TaskDialog'

export type Opened =
  | { name: 'add' | 'import' | 'generate' }
  | { name: 'edit'; task: LoopTask }
  | { name: 'remove'; task: LoopTask }

interface Showing {
  at: Ref
  loop: Loop
  opened: Opened | null
  onClose: () => void
  /** What was done, for whoever cannot see it. */
  onTold: (words: string) => void
}

export function Dialogs({ at, loop, opened, onClose, onTold }: Showing) {
  const done = (words: string) => {
    onTold(words)
    onClose()
  }
  switch (opened?.name) {
    case undefined:
      return null
    case 'add':
      return <TaskDialog at={at} loop={loop} task={null} onClose={onClose} />
    case 'edit':
      return <TaskDialog at={at} loop={loop} task={opened.task} onClose={onClose} />
    case 'import':
      return <ImportDialog at={at} onClose={onClose} onDone={done} />
    case 'generate':
      return <GenerateDialog at={at} loop={loop} onClose={onClose} onDone={done} />
    case 'remove':
      return (
        <Confirm
          title={t('board.remove_title')}
          words={opened.task.description}
          deed={t('board.remove')}
          act={() => removeTask(at, opened.task.task_id)}
          onClose={onClose}
        />
      )
  }
}
