// What can be done with one loop now.
import type { LoopRef, LoopView } from '../api/types'

export function Actions({ at, view }: { at: LoopRef; view: LoopView }) {
  return (
    <p>
      {at.id} {view.loop.status}
    </p>
  )
}
