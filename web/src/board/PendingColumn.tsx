// The tasks that are still to come: these can be moved, edited and taken away.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../i18n'
import { CardView } from './CardView'
import type { Opened } from './Dialogs'
import type { Card } from './tasks'
import { type CardDrag, useDrag } from './useDrag'

interface PendingColumnProps {
  cards: readonly Card[]
  /** Pending as well, but not ours to change. */
  fixed: readonly Card[]
  onMove: (from: number, to: number) => void
  onOpen: (opened: Opened) => void
}

export function PendingColumn({ cards, fixed, onMove, onOpen }: PendingColumnProps) {
  const dragging = useDrag(onMove)
  const held = useRef<HTMLElement | null>(null)

  const order = cards.map(({ id }) => id).join()
  useLayoutEffect(() => {
    // A card that moves in the document loses the focus; whoever moved it by keyboard goes on from there.
    if (held.current?.isConnected && document.activeElement !== held.current) held.current.focus()
    held.current = null
  }, [order])

  const move = (from: number, to: number) => {
    held.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    onMove(from, to)
  }

  return (
    <>
      <ul class="cards" ref={dragging.list}>
        {cards.map((card, index) => (
          <Movable
            key={card.id}
            card={card}
            index={index}
            last={cards.length - 1}
            dragging={dragging}
            onMove={move}
            onOpen={onOpen}
          />
        ))}
      </ul>
      <ul class="cards">
        {fixed.map((card) => (
          <li key={card.id}>
            <CardView card={card} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface MovableProps {
  card: Card
  index: number
  last: number
  dragging: CardDrag
  onMove: (from: number, to: number) => void
  onOpen: (opened: Opened) => void
}

function Movable({ card, index, last, dragging, onMove, onOpen }: MovableProps) {
  const shift = dragging.shiftOf(index)
  const isHeld = dragging.drag?.id === card.id
  const task = card.description
  return (
    <li
      class={isHeld ? 'held' : dragging.drag ? 'aside' : undefined}
      style={{ transform: shift === 0 ? '' : `translateY(${shift}px)` }}
      data-task={card.id}
      onKeyDown={(event) => {
        const step = STEPS[event.key]
        if (!event.altKey || step === undefined) return
        event.preventDefault()
        onMove(index, index + step)
      }}
    >
      <CardView card={card}>
        <div class="task-tools">
          <span class="grip" title={t('board.drag')} aria-hidden="true" {...dragging.grip(card.id, index)}>
            <Dots />
          </span>
          <Tool
            label={t('board.up', { task })}
            off={index === 0}
            onAct={() => onMove(index, index - 1)}
            path="M3 9l4-4 4 4"
          />
          <Tool
            label={t('board.down', { task })}
            off={index === last}
            onAct={() => onMove(index, index + 1)}
            path="M3 5l4 4 4-4"
          />
          <button
            type="button"
            class="button plain small"
            aria-label={t('board.edit_task', { task })}
            onClick={() => card.task && onOpen({ name: 'edit', task: card.task })}
          >
            {t('board.edit')}
          </button>
          <button
            type="button"
            class="button plain danger small"
            aria-label={t('board.remove_task', { task })}
            onClick={() => card.task && onOpen({ name: 'remove', task: card.task })}
          >
            {t('board.remove')}
          </button>
        </div>
      </CardView>
    </li>
  )
}

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }

interface ToolProps {
  label: string
  off: boolean
  onAct: () => void
  path: string
}

/** Not `disabled` at the ends: a button that goes away under the focus would lose it. */
function Tool({ label, off, onAct, path }: ToolProps) {
  return (
    <button
      type="button"
      class="button plain icon"
      aria-label={label}
      aria-disabled={off}
      onClick={() => {
        if (!off) onAct()
      }}
    >
      <svg
        width="14"
        height="14"
        viewBox="0 0 14 14"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        aria-hidden="true"
      >
        <path d={path} stroke-linecap="round" stroke-linejoin="round" />
      </svg>
    </button>
  )
}

function Dots() {
  return (
    <svg width="10" height="16" viewBox="0 0 10 16" fill="currentColor" aria-hidden="true">
      {[3, 8, 13].map((y) => (
        <g key={y}>
          <circle cx="2.5" cy={y} r="1.3" />
          <circle cx="7.5" cy={y} r="1.3" />
        </g>
      ))}
    </svg>
  )
}
