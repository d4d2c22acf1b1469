import type { ComponentChildren } from 'preact'
import { t } from '../i18n'
import type { Card } from './tasks'

/** One task: what shall be done, by whom, and what came of it. */
export function CardView({ card, children }: { card: Card; children?: ComponentChildren }) {
  return (
    <article class="task card">
      <p class="task-words">{card.description}</p>
      <p class="muted small task-who">
        {card.tool}
        {card.task?.command ? (
          <>
            {' · '}
            <code>{card.task.command}</code>
          </>
        ) : (
          ` · ${t(`board.mode.${card.mode}`)}`
        )}
        {card.files.length > 0 && (
          <span title={card.files.join('\n')}> · {t('board.files', { n: card.files.length })}</span>
        )}
      </p>
      {children}
    </article>
  )
}
