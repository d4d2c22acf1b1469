// What the cycle has changed in the project: as a whole, iteration by iteration, and step by step.
import type { Query } from '../api/client'
import type { Cycle } from '../api/cycles'
import { LoadedDiff, PartDiff } from '../run/cards'
import { t as run } from '../run/i18n'
import { Moment } from '../ui/times'
import { t } from './i18n'
import type { CycleResources, Section } from './parts'
import { parseStepKey } from './steps'

/** `step-3`: the step that made the third checkpoint; `3`: the third iteration. */
const STEP = 'step-'

export function Changes({ resources, view: { run: cycle }, detail = '' }: Section) {
  if (cycle.engine.checkpoints.length === 0) return <p class="empty">{t('changes.empty')}</p>
  const part = partOf(cycle, detail)
  return (
    <div class="changes">
      <List resources={resources} cycle={cycle} chosen={part === null ? '' : detail} />
      {part === null ? (
        <LoadedDiff of={resources.parts.diff} />
      ) : (
        <PartDiff key={detail} address={resources.address} {...part} rev={cycle.engine.rev} />
      )}
    </div>
  )
}

interface DiffPart {
  rest: string
  query?: Query
}

/** Where the diff of what was chosen is read; null for all of it. */
function partOf(cycle: Cycle, detail: string): DiffPart | null {
  if (detail.startsWith(STEP)) {
    const found = cycle.engine.checkpoints.find(({ n }) => String(n) === detail.slice(STEP.length))
    return found ? { rest: `/checkpoints/${found.n}/diff` } : null
  }
  const found = cycle.iterations.find(({ number }) => String(number) === detail)
  return found ? { rest: '/diff', query: { iteration: found.number } } : null
}

function List({ resources, cycle, chosen }: { resources: CycleResources; cycle: Cycle; chosen: string }) {
  const changes = cycle.changes?.changes ?? []
  const filesIn = (iteration: number) =>
    new Set(changes.filter((one) => one.iteration === iteration).map(({ file }) => file)).size
  return (
    <nav class="checkpoints" aria-label={t('tab.iterations')}>
      <ul>
        <li>
          <a href={resources.address.href('changes')} aria-current={chosen === '' ? 'true' : undefined}>
            <strong>{run('changes.all')}</strong>
            <span class="muted small">{run('changes.files', { n: cycle.changes?.total_files ?? 0 })}</span>
          </a>
        </li>
        {cycle.iterations.toReversed().map((one) => (
          <li key={one.number}>
            <a
              href={resources.address.href(`changes-${one.number}`)}
              aria-current={chosen === String(one.number) ? 'true' : undefined}
            >
              <span class="row spread">
                <strong>{t('iterations.one', { n: one.number })}</strong>
                <Moment class="muted small" at={one.started_at} />
              </span>
              <span class="muted small">{run('changes.files', { n: filesIn(one.number) })}</span>
            </a>
            <ul>
              {stepsIn(cycle, one.number).map(({ n, action, at }) => (
                <li key={n}>
                  <a
                    class="inner"
                    href={resources.address.href(`changes-${STEP}${n}`)}
                    aria-current={chosen === `${STEP}${n}` ? 'true' : undefined}
                  >
                    <span class="row spread">
                      <span class="mono small">{parseStepKey(action).task ?? action}</span>
                      <Moment class="muted small" at={at} />
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
