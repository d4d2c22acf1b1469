// What the cycle asks of a person now: a question, permissions, decisions. Nothing where it asks nothing.
import { Permissions } from '../actions/Permissions'
import { Question } from '../actions/Question'
import type { CycleView } from '../api/cycles'
import { acting } from '../app/place'
import { DecisionForm } from './DecisionForm'
import { t } from './i18n'
import type { Watched } from './watch'

export function Asked({ seen, view }: { seen: Watched; view: CycleView }) {
  const { engine, status, coordination } = view.cycle
  const act = acting(seen.place)
  const isOpen = status === 'running' || status === 'paused'
  const decisions = isOpen ? coordination.pending_decisions.filter((one) => one.status === 'pending') : []
  const blockers = isOpen ? coordination.blockers.filter((one) => one.status === 'open') : []
  return (
    <>
      {engine.waiting && isOpen && (
        <Question
          key={engine.waiting.since}
          act={act}
          title={t('ask.title')}
          settle={t('ask.settle')}
          waiting={engine.waiting}
          answer={engine.answer ?? null}
          rests={status === 'paused'}
        />
      )}
      {decisions.map((decision) => (
        <DecisionForm key={decision.id} act={act} decision={decision} view={view} />
      ))}
      {status === 'running' && engine.asked.length > 0 && <Permissions act={act} requests={engine.asked} />}
      {blockers.length > 0 && (
        <p class="notice tone-warn">
          <strong>{t('ask.blockers', { n: blockers.length })}</strong>
          <a href={seen.place.href('coordination')}>{t('ask.look')}</a>
        </p>
      )}
    </>
  )
}
