// What the loop has changed, as a whole or checkpoint by checkpoint; and the way back.
import { useState } from 'preact/hooks'
import type { CheckpointView } from '../api/details'
import { commandsAt } from '../app/address'
import { LoadedDiff, PartDiff } from '../run/cards'
import { t } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import { Confirm } from '../ui/Confirm'
import { moment } from '../ui/format'
import { Moment } from '../ui/times'
import type { LoopResources, LoopView, Section } from './parts'

export function Changes({ resources, view, detail }: Section) {
  const chosen = Number(detail) || null
  return (
    <Loaded of={resources.parts.checkpoints}>
      {(known) =>
        known.length === 0 ? (
          <p class="empty">{t('changes.empty')}</p>
        ) : (
          <div class="changes">
            <Checkpoints resources={resources} known={known} chosen={chosen} />
            <div class="stack">
              {chosen !== null && (
                <OneHead resources={resources} view={view} checkpoint={known.find(({ n }) => n === chosen)} />
              )}
              {chosen === null ? (
                <LoadedDiff of={resources.parts.diff} />
              ) : (
                <PartDiff key={chosen} address={resources.address} rest={`/checkpoints/${chosen}/diff`} />
              )}
            </div>
          </div>
        )
      }
    </Loaded>
  )
}

function Checkpoints({
  resources,
  known,
  chosen,
}: {
  resources: LoopResources
  known: CheckpointView[]
  chosen: number | null
}) {
  return (
    <nav class="checkpoints" aria-label={t('changes.checkpoints')}>
      <ul>
        <li>
          <a href={resources.address.href('changes')} aria-current={chosen === null ? 'true' : undefined}>
            <strong>{t('changes.all')}</strong>
          </a>
        </li>
        {known.toReversed().map(({ n, action, at, files }) => (
          <li key={n}>
            <a href={resources.address.href(`changes-${n}`)} aria-current={chosen === n ? 'true' : undefined}>
              <span class="row spread">
                <strong>
                  {n} · {action}
                </strong>
                <Moment class="muted small" at={at} />
              </span>
              <span class="muted small">{t('changes.files', { n: files.length })}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function OneHead(one: { resources: LoopResources; view: LoopView; checkpoint: CheckpointView | undefined }) {
  const { resources, view, checkpoint } = one
  if (!checkpoint) return null
  return (
    <header class="row spread">
      <h2>{t('changes.checkpoint', { n: checkpoint.n, action: checkpoint.action })}</h2>
      <Rewind resources={resources} view={view} checkpoint={checkpoint} />
    </header>
  )
}

interface RewindProps {
  resources: LoopResources
  view: LoopView
  checkpoint: CheckpointView
}

/** Files and progress put back to a checkpoint, after a question. */
function Rewind({ resources, view, checkpoint: { n, action, at } }: RewindProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={view.live}
        title={view.live ? t('rewind.live') : undefined}
        onClick={() => setAsking(true)}
      >
        {t('rewind.button')}
      </button>
      {isAsking && (
        <Confirm
          title={t('rewind.title', { n })}
          words={t('rewind.words', { action, at: moment(at) })}
          command={t('rewind.confirm')}
          act={() => commandsAt(resources.address)('rewind', { to: n })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
