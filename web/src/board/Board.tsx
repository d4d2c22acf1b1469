// The tasks of one loop as a board: what is to be done, in which order, and how far it is.
import { useState } from 'preact/hooks'
import type { Loop, Ref, TaskStatus } from '../api/types'
import { t } from '../i18n'
import { Notice } from '../ui/Notice'
import { TASK_TONES } from '../ui/tones'
import { CardView } from './CardView'
import { Dialogs, type Opened } from './Dialogs'
import { PendingColumn } from './PendingColumn'
import { type Card, COLUMNS, cardsOf, moveCard } from './tasks'
import { useOrder } from './useOrder'

interface BoardProps {
  at: Ref
  /** As the server had it last: the page brings each change by its stream. */
  loop: Loop
}

export function Board({ at, loop }: BoardProps) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [told, setTold] = useState('')
  const { order, problem, change } = useOrder(at, loop)
  const all = cardsOf(loop, order)

  const move = async (from: number, to: number) => {
    const pending = movable(all)
    const card = pending[from]
    if (!card || to < 0 || to >= pending.length) return
    if (await change(moveCard(all, from, to)))
      setTold(t('board.moved', { task: card.description, place: to + 1, n: pending.length }))
  }

  return (
    <section class="board" aria-label={t('board.title')}>
      <div class="row">
        <button type="button" class="button" onClick={() => setOpened({ name: 'add' })}>
          {t('board.add')}
        </button>
        <button type="button" class="button" onClick={() => setOpened({ name: 'import' })}>
          {t('board.import')}
        </button>
        <button type="button" class="button" onClick={() => setOpened({ name: 'generate' })}>
          {t('board.generate')}
        </button>
      </div>
      {problem && (
        <Notice tone="bad">
          {t('board.stays', { words: problem.isOffline ? t('problem.offline') : problem.message })}
        </Notice>
      )}
      {all.length === 0 && <p class="muted">{t('board.empty')}</p>}
      <div class="board-columns">
        {COLUMNS.map((status) => (
          <Column key={status} status={status} count={all.filter((card) => card.status === status).length}>
            {status === 'pending' ? (
              <PendingColumn
                cards={movable(all)}
                fixed={all.filter((card) => card.status === 'pending' && card.task === null)}
                onMove={move}
                onOpen={setOpened}
              />
            ) : (
              <ul class="cards">
                {all
                  .filter((card) => card.status === status)
                  .map((card) => (
                    <li key={card.id}>
                      <CardView card={card} />
                    </li>
                  ))}
              </ul>
            )}
          </Column>
        ))}
      </div>
      <p class="sr-only" aria-live="polite">
        {told}
      </p>
      <Dialogs at={at} loop={loop} opened={opened} onClose={() => setOpened(null)} onTold={setTold} />
    </section>
  )
}

function movable(all: readonly Card[]): Card[] {
  return all.filter((card) => card.status === 'pending' && card.task !== null)
}

interface ColumnProps {
  status: TaskStatus
  count: number
  children: preact.ComponentChildren
}

function Column({ status, count, children }: ColumnProps) {
  const title = t(`board.${status}`)
  return (
    <section class={`column tone-${TASK_TONES[status]}`} aria-label={title} data-column={status}>
      <h3>
        <i class="dot" aria-hidden="true" />
        {title} <span class="muted">{count}</span>
      </h3>
      {count === 0 ? <p class="muted small none">{t('board.none')}</p> : children}
    </section>
  )
}
