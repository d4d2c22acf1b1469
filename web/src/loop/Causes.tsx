// What might be wrong: where it was looked for, what was measured, and what came of it.
import type { Hypothesis } from '../api/details'
import { commandsAt, type SendCommand } from '../app/address'
import { t } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import { Fact, Fold } from '../run/panels'
import { Rivals } from '../run/Rivals'
import { patchOf } from '../run/rivals'
import { Ticked } from '../run/text'
import { number } from '../ui/format'
import { factsOf } from './evidence'
import type { Section } from './parts'

type Tone = 'good' | 'bad' | 'warn' | 'idle'

const TONES: Readonly<Record<Hypothesis['status'], Tone>> = {
  confirmed: 'good',
  rejected: 'idle',
  inconclusive: 'warn',
  pending: 'idle',
}
/** Confirmed ones first, then what is still open. */
const ORDER: readonly Hypothesis['status'][] = ['confirmed', 'pending', 'inconclusive', 'rejected']

export function Causes({ resources, view }: Section) {
  const skill = view.run.skill_state
  const send = view.live ? null : commandsAt(resources.address)
  const bug = skill?.validate.passed ? null : skill?.debug.active_bug
  return (
    <section class="stack" aria-label={t('tab.causes')}>
      {bug && (
        <div class="card bug">
          <h3>{t('causes.bug')}</h3>
          <p>{bug}</p>
        </div>
      )}
      <Loaded of={resources.parts.hypotheses}>
        {(all) =>
          all.length ? (
            <ol class="causes">
              {all
                .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
                .map((cause) => (
                  <Cause key={cause.id} cause={cause} send={send} />
                ))}
            </ol>
          ) : (
            <p class="empty">{t('causes.empty')}</p>
          )
        }
      </Loaded>
    </section>
  )
}

function Cause({ cause, send }: { cause: Hypothesis; send: SendCommand | null }) {
  const patch = patchOf(cause)
  return (
    <li class={`card cause ${cause.status}`}>
      <header>
        <span class="cause-id mono">{cause.id}</span>
        <span class={`badge tone-${TONES[cause.status]}`}>{t(`cause.${cause.status}`)}</span>
        <code class="point">{cause.logging_point}</code>
        <span class="muted small">{t('cause.likelihood', { n: number(cause.likelihood, 2) })}</span>
      </header>
      <p>
        <Ticked text={cause.description} />
      </p>
      {cause.verdict_reason && (
        <p class="verdict">
          <span class="muted">{t('cause.verdict')}</span> <Ticked text={cause.verdict_reason} />
        </p>
      )}
      {patch && <Rivals comparison={patch.comparison} send={send} />}
      <Fold summary={t('cause.more')}>
        <dl class="facts wide">
          <Fact name={t('cause.condition')}>{cause.testable_condition}</Fact>
          <Fact name={t('cause.confirm')}>{cause.evidence_criteria.confirm}</Fact>
          <Fact name={t('cause.reject')}>{cause.evidence_criteria.reject}</Fact>
        </dl>
        {cause.evidence && (
          <>
            <h3>{t('cause.evidence')}</h3>
            <dl class="facts wide">
              {factsOf(cause.evidence).map(({ name, value, isCode }) => (
                <Fact key={name} name={name}>
                  {isCode ? <code>{value}</code> : value}
                </Fact>
              ))}
            </dl>
          </>
        )}
      </Fold>
    </li>
  )
}
