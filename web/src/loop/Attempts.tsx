// All attempts at the loop's goal, side by side: how each stands, and which was chosen.
import { useEffect } from 'preact/hooks'
import type { AttemptView } from '../api/details'
import { runHref } from '../app/router'
import { Loaded } from '../run/Loaded'
import { Card, Scroll } from '../run/panels'
import { useResource } from '../run/resource'
import { number, percent } from '../ui/format'
import { StatusBadge } from '../ui/StatusBadge'
import { lookOf } from '../ui/tones'
import { t } from './i18n'
import type { LoopResources, Section } from './parts'

/** Milliseconds between two looks at the others: this loop's own stream does not tell of them. */
const PAUSE = 3000

/** Nothing for a loop that is alone. */
export function Attempts({ resources, view }: Pick<Section, 'resources' | 'view'>) {
  const { family } = view.run.engine
  return family ? <All resources={resources} own={view.run.loop_id} isSettled={isSettled(family.winner)} /> : null
}

function isSettled(winner: string | null | undefined): boolean {
  return winner !== null && winner !== undefined
}

function All({ resources, own, isSettled }: { resources: LoopResources; own: string; isSettled: boolean }) {
  const part = resources.parts.attempts
  const all = useResource(part).data
  useEffect(() => {
    if (isSettled) return
    const timer = window.setInterval(part.touch, PAUSE)
    return () => window.clearInterval(timer)
  }, [part, isSettled])
  return (
    <Card
      id="attempts"
      title={t('attempts.title')}
      head={<span class="muted small">{all && standing(all, isSettled)}</span>}
    >
      <Loaded of={part}>{(found) => <Table attempts={found} own={own} at={resources.address.at.project} />}</Loaded>
    </Card>
  )
}

function standing(all: readonly AttemptView[], isSettled: boolean): string {
  const chosen = all.find((one) => one.chosen)
  if (chosen) return t('attempts.chosen', { n: chosen.number })
  if (isSettled) return t('attempts.none_chosen')
  return t('attempts.under_way', { n: all.filter((one) => one.outcome === null).length })
}

function Table({ attempts, own, at }: { attempts: readonly AttemptView[]; own: string; at: string | undefined }) {
  return (
    <Scroll class="attempts" label={t('attempts.title')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('attempts.attempt')}</th>
            <th scope="col">{t('attempts.result')}</th>
            <th scope="col" class="number">
              {t('attempts.mutants')}
            </th>
            <th scope="col" class="number">
              {t('attempts.lines')}
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((one) => (
            <tr key={one.loop_id} aria-current={one.loop_id === own ? 'page' : undefined}>
              <th scope="row">
                <a href={runHref('loop', { id: one.loop_id, project: at })}>
                  {t('attempts.one', { n: one.number, agent: one.agent })}
                </a>
              </th>
              <td>
                <StatusBadge look={lookOf({ ...one, parked_until: null })} status={one.status} />{' '}
                {one.chosen && <span class="badge tone-good">{t('attempts.mark')}</span>}
                {one.reason && <p class="small muted">{one.reason}</p>}
              </td>
              <td class="number">{one.mutation_score === null ? '–' : percent(one.mutation_score)}</td>
              <td class="number">{number(one.changed_lines)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
