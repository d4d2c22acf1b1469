// The tasks of one loop as a board.
import type { Loop, LoopRef } from '../api/types'

interface Boarding {
  at: LoopRef
  /** As the server had it last: the page brings each change by its stream. */
  loop: Loop
}

export function Board({ at, loop }: Boarding) {
  return (
    <p>
      {at.id} {loop.engine.tasks.length}
    </p>
  )
}
