// What the loop asks of a person now: a question, permissions, the next step. Nothing where it asks nothing.
import type { LoopRef, LoopView } from '../api/types'

export function Asked({ at, view }: { at: LoopRef; view: LoopView }) {
  return (
    <p>
      {at.id} {view.loop.engine.asked.length}
    </p>
  )
}
