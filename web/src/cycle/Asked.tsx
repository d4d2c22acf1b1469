// What the cycle asks of a person now: a question, permissions, decisions. Nothing where it asks nothing.
import { Permissions } from '../actions/Permissions'
import { Question } from '../actions/Question'
import type { CycleView } from '../api/cycles'
import { acting } from '../app/place'
import { DecisionForm } from './DecisionForm'
import { t } from './i18n'
import type { Watched } from './watch'

interface Asking {
  seen: Watched
  view: CycleView
  /** Decisions are made on the overview and where they all are; any other tab only says that there are some. */
  tab: string
}

export function Asked({ seen, view, tab }: Asking) {
  const { engine, status, coordination } = view.cycle
  const act = acting(seen.place)
  const decides = coordination.pending_decisions.some((decision) => decision.status === 'pending')
  const isOpen = status === 'running' || status === 'paused'
  return (
    <>
      {engine.waiting && !decides && isOpen && (
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
      {status === 'running' && engine.asked.length > 0 && <Permissions act={act} requests={engine.asked} />}
      {isOpen && tab !== 'coordination' && <Open seen={seen} view={view} isWhole={tab === 'overview'} />}
    </>
  )
}

function Open({ seen, view, isWhole }: { seen: Watched; view: CycleView; isWhole: boolean }) {
  const { pending_decisions, blockers } = view.cycle.coordination
  const decisions = pending_decisions.filter(({ status }) => status === 'pending')
  const open = blockers.filter(({ status }) => status === 'open')
  const words = [
    !isWhole && decisions.length > 0 && t('ask.decisions', { n: decisions.length }),
    open.length > 0 && t('ask.blockers', { n: open.length }),
  ].filter((one) => one !== false)
  return (
    <>
      {isWhole &&
        decisions.map((decision) => (
          <DecisionForm key={decision.id} act={acting(seen.place)} decision={decision} view={view} />
        ))}
      {words.length > 0 && (
        <p class="notice tone-warn">
          <strong>{words.join(' · ')}</strong>
          <a href={seen.place.href('coordination')}>{t('ask.look')}</a>
        </p>
      )}
    </>
  )
}
