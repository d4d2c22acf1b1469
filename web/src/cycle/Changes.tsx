// What the cycle has changed in the project: as a whole, iteration by iteration, and step by step.
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
import { partsOf } from './steps'
import type { Section, Watched } from './watch'

/** `step-3`: the step that made the third checkpoint; `3`: the third iteration. */
const STEP = 'step-'

export function Changes({ seen, view: { cycle }, detail = '' }: Section) {
  if (cycle.engine.checkpoints.length === 0) return <p class="empty">{t('changes.empty')}</p>
  const path = pathOf(cycle, detail)
  return (
    <div class="changes">
      <List seen={seen} cycle={cycle} chosen={path === null ? '' : detail} />
      {path === null ? <Whole seen={seen} /> : <One key={detail} seen={seen} path={path} rev={cycle.engine.rev} />}
    </div>
  )
}

/** Where the diff of what was chosen is read; null for all of it. */
function pathOf(cycle: Cycle, detail: string): string | null {
  if (detail.startsWith(STEP)) {
    const found = cycle.engine.checkpoints.find(({ n }) => String(n) === detail.slice(STEP.length))
    return found ? `/checkpoints/${found.n}/diff` : null
  }
  const found = cycle.iterations.find(({ number }) => String(number) === detail)
  return found ? `/diff?iteration=${found.number}` : null
}

function List({ seen, cycle, chosen }: { seen: Watched; cycle: Cycle; chosen: string }) {
  const changes = cycle.changes?.changes ?? []
  const filesIn = (iteration: number) =>
    new Set(changes.filter((one) => one.iteration === iteration).map(({ file }) => file)).size
  return (
    <nav class="checkpoints" aria-label={t('tab.iterations')}>
      <ul>
        <li>
          <a href={seen.place.href('changes')} aria-current={chosen === '' ? 'true' : undefined}>
            <strong>{run('changes.all')}</strong>
            <span class="muted small">{run('changes.files', { n: cycle.changes?.total_files ?? 0 })}</span>
          </a>
        </li>
        {cycle.iterations.toReversed().map((one) => (
          <li key={one.number}>
            <a
              href={seen.place.href(`changes-${one.number}`)}
              aria-current={chosen === String(one.number) ? 'true' : undefined}
            >
              <span class="row spread">
                <strong>{t('iterations.one', { n: one.number })}</strong>
                <time class="muted small" dateTime={one.started_at}>
                  {moment(one.started_at)}
                </time>
              </span>
              <span class="muted small">{run('changes.files', { n: filesIn(one.number) })}</span>
            </a>
            <ul>
              {stepsIn(cycle, one.number).map(({ n, action, at }) => (
                <li key={n}>
                  <a
                    class="inner"
                    href={seen.place.href(`changes-${STEP}${n}`)}
                    aria-current={chosen === `${STEP}${n}` ? 'true' : undefined}
                  >
                    <span class="row spread">
                      <span class="mono small">{partsOf(action).task ?? action}</span>
                      <time class="muted small" dateTime={at}>
                        {moment(at)}
                      </time>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The steps of an iteration that left a checkpoint, but for the first of all, which nothing came before. */
function stepsIn(cycle: Cycle, iteration: number) {
  const from = cycle.iterations.find(({ number }) => number === iteration)?.started_at ?? ''
  const until = cycle.iterations.find(({ number }) => number === iteration + 1)?.started_at
  return cycle.engine.checkpoints.filter(
    ({ n, at }) => n > 1 && Date.parse(at) >= Date.parse(from) && !(until && Date.parse(at) >= Date.parse(until)),
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
function One({ seen, path, rev }: { seen: Watched; path: string; rev: number }) {
  const { place } = seen
  const own = useMemo(() => {
    const [rest = '', query = ''] = path.split('?')
    return resource(() => get<DiffAnswer>(place.path(rest, Object.fromEntries(new URLSearchParams(query)))))
  }, [place, path])
  useEffect(() => {
    if (rev) own.touch()
  }, [own, rev])
  return (
    <Awaited held={useHeld(own)} onRetry={own.touch}>
      {(answer) => <DiffView answer={answer} />}
    </Awaited>
  )
}
