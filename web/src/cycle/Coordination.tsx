// What the roles, the engine and people say to each other: decisions, blockers, feedback.
import { useState } from 'preact/hooks'
import type { Decision, FeedbackEntry } from '../api/cycles'
import { commandsAt, type SendCommand } from '../app/address'
import { Filter } from '../run/Filter'
import { Moment } from '../ui/times'
import { BlockerCard } from './BlockerCard'
import { DecisionForm } from './DecisionForm'
import { partyWords, t, typeWords } from './i18n'
import type { CycleView, Section } from './parts'

export function Coordination({ resources, view }: Section) {
  const { coordination } = view.run
  const { pending_decisions: decisions, blockers, feedback_log: feedback } = coordination
  const send = commandsAt(resources.address)
  return (
    <div class="stack">
      <section class="stack" aria-labelledby="decisions-title">
        <h2 id="decisions-title">{t('decisions.title')}</h2>
        {decisions.length === 0 && <p class="muted">{t('decisions.empty')}</p>}
        {decisions.map((decision) => (
          <OneDecision key={decision.id} send={send} decision={decision} view={view} />
        ))}
      </section>
      <section class="stack" aria-labelledby="blockers-title">
        <h2 id="blockers-title">{t('blockers.title')}</h2>
        {blockers.length === 0 && <p class="muted">{t('blockers.empty')}</p>}
        {blockers.map((blocker) => (
          <BlockerCard key={blocker.id} send={send} blocker={blocker} view={view} />
        ))}
      </section>
      <Feedback log={feedback} />
    </div>
  )
}

function OneDecision({ send, decision, view }: { send: SendCommand; decision: Decision; view: CycleView }) {
  const { id, description, options, chosen_option, made_by, status } = decision
  const isOver = view.run.status === 'completed' || view.run.status === 'failed'
  if (status === 'pending' && !isOver) return <DecisionForm send={send} decision={decision} view={view} />
  return (
    <article class="card settled">
      <header class="row spread">
        <h3>
          <span class="mono small muted">{id}</span> {description}
        </h3>
        <span class={`badge tone-${status === 'pending' ? 'warn' : 'good'}`}>{t(`decision.${status}`)}</span>
      </header>
      <ul class="settled-options">
        {options.map((option) => (
          <li key={option} class={option === chosen_option ? 'chosen' : 'muted'}>
            <span aria-hidden="true">{option === chosen_option ? '●' : '○'}</span> {option}
            {option === chosen_option && made_by && (
              <span class="muted small">
                {' · '}
                {made_by === 'auto' ? t('decision.auto') : t('decision.by', { who: partyWords(made_by) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </article>
  )
}

const TYPES = ['all', 'requirement_update', 'bug_report', 'issue_fix', 'clarification'] as const

function Feedback({ log }: { log: readonly FeedbackEntry[] }) {
  const [words, setWords] = useState('')
  const [type, setType] = useState<(typeof TYPES)[number]>('all')
  const wanted = words.trim().toLowerCase()
  const shown = log
    .filter((one) => (type === 'all' || one.type === type) && one.content.toLowerCase().includes(wanted))
    .toReversed()
  return (
    <section class="stack" aria-labelledby="feedback-title">
      <h2 id="feedback-title">{t('feedback.title')}</h2>
      {log.length === 0 ? (
        <p class="muted">{t('feedback.empty')}</p>
      ) : (
        <>
          <Filter
            label={t('feedback.search')}
            words={words}
            onWords={setWords}
            choices={TYPES.map((name) => [name, t(`feedback.${name}`)] as const)}
            choice={type}
            onChoice={setType}
          />
          {shown.length === 0 && <p class="empty">{t('feedback.none')}</p>}
          <ol class="feedback">
            {shown.map((one) => (
              <li key={`${one.timestamp} ${one.target} ${one.content}`}>
                <p class="row small">
                  <strong>
                    {partyWords(one.source)} → {partyWords(one.target)}
                  </strong>
                  <span class="badge">{typeWords(one.type)}</span>
                  <Moment class="muted" at={one.timestamp} />
                </p>
                <p class="pre">{one.content}</p>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  )
}
