// The board of the loop's tasks.
import { Board } from '../board/Board'
import type { Section } from './watch'

export function Tasks({ seen, view }: Section) {
  return <Board at={seen.place.at} loop={view.loop} />
}
