// What the cycle asks of a person now: a question, permissions, decisions. Nothing where it asks nothing.
import { Permissions } from '../actions/Permissions'
import { Question } from '../actions/Question'
import type { Cycle } from '../api/cycles'
import { commandsAt, type RunAddress } from '../app/address'
import type { RequestsProps } from '../run/RunKind'
import { DecisionForm } from './DecisionForm'
import { t } from './i18n'
import type { CycleView } from './parts'

/** Decisions are made on the overview and where they all are; any other section only says that there are some. */
export function Requests({ address, view, section }: RequestsProps<Cycle>) {
  const { engine, status, coordination } = view.run
  const send = commandsAt(address)
  const decides = coordination.pending_decisions.some((decision) => decision.status === 'pending')
  const isOpen = status === 'running' || status === 'paused'
  return (
    <>
      {engine.waiting && !decides && isOpen && (
        <Question
          key={engine.waiting.since}
          send={send}
          title={t('ask.title')}
          settle={t('ask.settle')}
          waiting={engine.waiting}
          answer={engine.answer ?? null}
          rests={status === 'paused'}
        />
      )}
      {status === 'running' && engine.asked.length > 0 && <Permissions send={send} requests={engine.asked} />}
      {isOpen && section !== 'coordination' && <Open address={address} view={view} isWhole={section === 'overview'} />}
    </>
  )
}

function Open({ address, view, isWhole }: { address: RunAddress; view: CycleView; isWhole: boolean }) {
  const { pending_decisions, blockers } = view.run.coordination
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
          <DecisionForm key={decision.id} send={commandsAt(address)} decision={decision} view={view} />
        ))}
      {words.length > 0 && (
        <p class="notice tone-warn">
          <strong>{words.join(' · ')}</strong>
          <a href={address.href('coordination')}>{t('ask.look')}</a>
        </p>
      )}
    </>
  )
}
