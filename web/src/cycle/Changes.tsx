// What the cycle has changed in the project, as a whole or iteration by iteration.
import { useEffect, useMemo } from 'preact/hooks'
import { get } from '../api/client'
import type { Cycle } from '../api/cycles'
import { Awaited } from '../run/absent'
import { DiffView } from '../run/DiffView'
import { moment } from '../run/format'
import { t as run } from '../run/i18n'
import { resource, useHeld } from '../run/resource'
import type { DiffAnswer } from '../run/shapes'
import { t } from './i18n'
import type { Section } from './Tabbed'
import type { Watched } from './watch'

export function Changes({ seen, view: { cycle }, detail }: Section) {
  const chosen = cycle.iterations.find(({ number }) => String(number) === detail)?.number ?? null
  if (cycle.engine.checkpoints.length === 0) return <p class="empty">{t('changes.empty')}</p>
  return (
    <div class="changes">
      <List seen={seen} cycle={cycle} chosen={chosen} />
      {chosen === null ? <Whole seen={seen} /> : <One key={chosen} seen={seen} n={chosen} rev={cycle.engine.rev} />}
    </div>
  )
}

function List({ seen, cycle, chosen }: { seen: Watched; cycle: Cycle; chosen: number | null }) {
  const changes = cycle.changes?.changes ?? []
  return (
    <nav class="checkpoints" aria-label={t('tab.iterations')}>
      <ul>
        <li>
          <a href={seen.place.href('changes')} aria-current={chosen === null ? 'true' : undefined}>
            <strong>{run('changes.all')}</strong>
            <span class="muted small">{run('changes.files', { n: cycle.changes?.total_files ?? 0 })}</span>
          </a>
        </li>
        {cycle.iterations.toReversed().map(({ number, started_at }) => (
          <li key={number}>
            <a href={seen.place.href(`changes-${number}`)} aria-current={chosen === number ? 'true' : undefined}>
              <span class="row spread">
                <strong>{t('iterations.one', { n: number })}</strong>
                <time class="muted small" dateTime={started_at}>
                  {moment(started_at)}
                </time>
              </span>
              <span class="muted small">
                {run('changes.files', {
                  n: new Set(changes.filter((one) => one.iteration === number).map(({ file }) => file)).size,
                })}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
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

/** The last iteration goes on changing while it runs. */
function One({ seen, n, rev }: { seen: Watched; n: number; rev: number }) {
  const { place } = seen
  const own = useMemo(() => resource(() => get<DiffAnswer>(place.path('/diff', { iteration: n }))), [place, n])
  useEffect(() => {
    if (rev) own.touch()
  }, [own, rev])
  return (
    <Awaited held={useHeld(own)} onRetry={own.touch}>
      {(answer) => <DiffView answer={answer} />}
    </Awaited>
  )
}
