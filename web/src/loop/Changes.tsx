// What the loop has changed, as a whole or checkpoint by checkpoint; and the way back.
import { useMemo } from 'preact/hooks'
import { get } from '../api/client'
import type { LoopView } from '../api/types'
import { Awaited } from '../run/absent'
import { DiffView } from '../run/DiffView'
import { moment } from '../run/format'
import { t } from '../run/i18n'
import { resource, useHeld } from '../run/resource'
import type { CheckpointView, DiffAnswer } from '../run/shapes'
import { Rewind } from './Rewind'
import type { Section, Watched } from './watch'

export function Changes({ seen, view, detail }: Section) {
  const checkpoints = useHeld(seen.checkpoints)
  const chosen = Number(detail) || null
  return (
    <Awaited held={checkpoints} onRetry={seen.checkpoints.touch}>
      {(known) =>
        known.length === 0 ? (
          <p class="empty">{t('changes.empty')}</p>
        ) : (
          <div class="changes">
            <Checkpoints seen={seen} known={known} chosen={chosen} />
            <div class="stack">
              {chosen !== null && <OneHead seen={seen} view={view} checkpoint={known.find(({ n }) => n === chosen)} />}
              {chosen === null ? <Whole seen={seen} /> : <One key={chosen} seen={seen} n={chosen} />}
            </div>
          </div>
        )
      }
    </Awaited>
  )
}

function Checkpoints({ seen, known, chosen }: { seen: Watched; known: CheckpointView[]; chosen: number | null }) {
  return (
    <nav class="checkpoints" aria-label={t('changes.checkpoints')}>
      <ul>
        <li>
          <a href={seen.place.href('changes')} aria-current={chosen === null ? 'true' : undefined}>
            <strong>{t('changes.all')}</strong>
          </a>
        </li>
        {known.toReversed().map(({ n, action, at, files }) => (
          <li key={n}>
            <a href={seen.place.href(`changes-${n}`)} aria-current={chosen === n ? 'true' : undefined}>
              <span class="row spread">
                <strong>
                  {n} · {action}
                </strong>
                <time class="muted small" dateTime={at}>
                  {moment(at)}
                </time>
              </span>
              <span class="muted small">{t('changes.files', { n: files.length })}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function OneHead(one: { seen: Watched; view: LoopView; checkpoint: CheckpointView | undefined }) {
  const { seen, view, checkpoint } = one
  if (!checkpoint) return null
  return (
    <header class="row spread">
      <h2>{t('changes.checkpoint', { n: checkpoint.n, action: checkpoint.action })}</h2>
      <Rewind seen={seen} view={view} checkpoint={checkpoint} />
    </header>
  )
}

function Whole({ seen }: { seen: Watched }) {
  const diff = useHeld(seen.diff)
  return (
    <Awaited held={diff} onRetry={seen.diff.touch}>
      {(answer) => <DiffView answer={answer} />}
    </Awaited>
  )
}

/** A checkpoint never changes, so it is read once. */
function One({ seen, n }: { seen: Watched; n: number }) {
  const { place } = seen
  const own = useMemo(() => resource(() => get<DiffAnswer>(place.path(`/checkpoints/${n}/diff`))), [place, n])
  return (
    <Awaited held={useHeld(own)} onRetry={own.touch}>
      {(answer) => <DiffView answer={answer} />}
    </Awaited>
  )
}
