// One loop's page.
import type { LoopRef } from '../api/types'

export function LoopPage({ at, tab }: { at: LoopRef; tab: string | undefined }) {
  return (
    <h1>
      {at.id} {tab}
    </h1>
  )
}
