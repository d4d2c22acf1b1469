// Dragging a card up and down its column with a mouse, a pen or a finger. Nothing moves in the document until it is let
// go: the cards are only shifted on the screen, so that the pointer stays with the one it holds.
import { useRef, useState } from 'preact/hooks'

interface Drag {
  id: string
  from: number
  to: number
  /** Pixels from where it was taken. */
  shift: number
  /** The room that it takes, with the gap. */
  room: number
}

export interface CardDrag {
  drag: Drag | null
  /** For the element that is the list. */
  list: { current: HTMLUListElement | null }
  /** For the handle of the card at `index`. */
  grip: (id: string, index: number) => GripEvents
  /** Pixels by which the card at `index` is shifted at the moment. */
  shiftOf: (index: number) => number
}

interface GripEvents {
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

const GAP = 8

export function useDrag(onDrop: (from: number, to: number) => void): CardDrag {
  const list = useRef<HTMLUListElement | null>(null)
  const start = useRef({ y: 0, centres: [] as number[] })
  const [drag, setDrag] = useState<Drag | null>(null)

  const take = (event: PointerEvent, id: string, index: number) => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement) || !list.current) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    const boxes = [...list.current.children].map((card) => card.getBoundingClientRect())
    start.current = { y: event.clientY, centres: boxes.map((box) => box.top + box.height / 2) }
    setDrag({ id, from: index, to: index, shift: 0, room: (boxes[index]?.height ?? 0) + GAP })
  }
  const move = (event: PointerEvent) => {
    if (!drag) return
    const { y, centres } = start.current
    const shift = event.clientY - y
    const centre = (centres[drag.from] ?? 0) + shift
    const to = centres.filter((other, n) => n !== drag.from && other < centre).length
    setDrag({ ...drag, shift, to })
  }
  const drop = () => {
    setDrag(null)
    if (drag && drag.to !== drag.from) onDrop(drag.from, drag.to)
  }

  return {
    drag,
    list,
    grip: (id, index) => ({
      onPointerDown: (event) => take(event, id, index),
      onPointerMove: move,
      onPointerUp: drop,
      onPointerCancel: () => setDrag(null),
    }),
    shiftOf: (index) => (drag ? shiftAt(drag, index) : 0),
  }
}

function shiftAt({ from, to, shift, room }: Drag, index: number): number {
  if (index === from) return shift
  if (from < index && index <= to) return -room
  return to <= index && index < from ? room : 0
}
