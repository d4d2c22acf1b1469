// What might be wrong: where it was looked for, what was measured, and what came of it.
import { type Act, acting } from '../app/place'
import { Awaited } from '../run/absent'
import { Fold } from '../run/Fold'
import { number } from '../run/format'
import { t } from '../run/i18n'
import { Rivals } from '../run/Rivals'
import { useHeld } from '../run/resource'
import { patchOf } from '../run/rivals'
import type { Hypothesis } from '../run/shapes'
import { Ticked } from '../run/Ticked'
import { factsOf } from './evidence'
import type { Section } from './watch'

type Tone = 'good' | 'bad' | 'warn' | 'idle'

const TONES: Readonly<Record<Hypothesis['status'], Tone>> = {
  confirmed: 'good',
  rejected: 'idle',
  inconclusive: 'warn',
  pending: 'idle',
}
/** Confirmed ones first, then what is still open. */
const ORDER: readonly Hypothesis['status'][] = ['confirmed', 'pending', 'inconclusive', 'rejected']

export function Causes({ seen, view }: Section) {
  const causes = useHeld(seen.hypotheses)
  const skill = view.loop.skill_state
  const act = view.live ? null : acting(seen.place)
  const bug = skill?.validate.passed ? null : skill?.debug.active_bug
  return (
    <section class="stack" aria-label={t('tab.causes')}>
      {bug && (
        <div class="card bug">
          <h3>{t('causes.bug')}</h3>
          <p>{bug}</p>
        </div>
      )}
      <Awaited held={causes} onRetry={seen.hypotheses.touch}>
        {(all) =>
          all.length ? (
            <ol class="causes">
              {all
                .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
                .map((cause) => (
                  <Cause key={cause.id} cause={cause} act={act} />
                ))}
            </ol>
          ) : (
            <p class="empty">{t('causes.empty')}</p>
          )
        }
      </Awaited>
    </section>
  )
}

function Cause({ cause, act }: { cause: Hypothesis; act: Act | null }) {
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
      {patch && <Rivals comparison={patch.comparison} act={act} />}
      <Fold summary={t('cause.more')}>
        <dl class="facts wide">
          <div>
            <dt>{t('cause.condition')}</dt>
            <dd>{cause.testable_condition}</dd>
          </div>
          <div>
            <dt>{t('cause.confirm')}</dt>
            <dd>{cause.evidence_criteria.confirm}</dd>
          </div>
          <div>
            <dt>{t('cause.reject')}</dt>
            <dd>{cause.evidence_criteria.reject}</dd>
          </div>
        </dl>
        {cause.evidence && (
          <>
            <h3>{t('cause.evidence')}</h3>
            <dl class="facts wide">
              {factsOf(cause.evidence).map(({ name, value, isCode }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{isCode ? <code>{value}</code> : value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Fold>
    </li>
  )
}
