// One tuning session in the list: how good the skill is, and what is wrong with it. The title's link covers the row.
import { type BriefTuning, SEVERITIES } from '../api/tunings'
import { tuningHref } from '../app/router'
import { t as common } from '../i18n'
import { number } from '../run/format'
import { t } from '../tuning/i18n'
import { GATE_TONES, lookOf, SEVERITY_TONES } from '../tuning/tones'
import { Ago } from '../ui/Ago'

export function TuningRow({ tuning, several }: { tuning: BriefTuning; several: boolean }) {
  const href = tuningHref({ id: tuning.tuning_id, project: several ? tuning.project : undefined })
  const { tone, words, live } = lookOf(tuning)
  const { applied, proposed } = tuning.fixes
  const changed = tuning.updated_at ?? tuning.created_at
  const details = [
    tuning.title !== tuning.path && tuning.path,
    tuning.failure_reason,
    tuning.level !== 'none' && t(`level.${tuning.level}`),
    tuning.agent,
  ]
  return (
    <li class="list-row">
      <div class="list-status">
        <span class={`badge tone-${tone}`} data-status={tuning.status}>
          <i class={live ? 'dot live' : 'dot'} aria-hidden="true" />
          {words}
        </span>
      </div>
      <div class="list-name">
        <a href={href}>{tuning.title}</a>
        <p class="muted small">{details.filter(Boolean).join(' · ')}</p>
      </div>
      <div class="list-needs">{tuning.needs && <span class="badge tone-warn">{t(`needs.${tuning.needs}`)}</span>}</div>
      <div class="list-progress">
        <Score tuning={tuning} />
        <span class="small muted">
          {common('loops.iterations', { at: tuning.current_iteration, most: tuning.max_iterations })}
        </span>
      </div>
      <div class="list-tests">
        <Counts issues={tuning.issues} isKnown={tuning.score !== null} />
        {proposed > 0 && <span class="small muted">{t('row.fixes', { applied, n: proposed })}</span>}
      </div>
      <div class="list-changed muted small">{changed && <Ago at={changed} />}</div>
    </li>
  )
}

function Score({ tuning: { score, gate } }: { tuning: BriefTuning }) {
  if (score === null || gate === null) return <span class="small muted">{t('row.no_score')}</span>
  return (
    <span class={`score tone-${GATE_TONES[gate]}`}>
      <strong>{number(score, 1)}</strong> <span class="small">{t(`gate.${gate}`)}</span>
    </span>
  )
}

function Counts({ issues, isKnown }: Pick<BriefTuning, 'issues'> & { isKnown: boolean }) {
  const found = SEVERITIES.filter((severity) => issues[severity] > 0)
  if (found.length === 0) return <span class="small muted">{isKnown ? t('row.clean') : '–'}</span>
  return (
    <span class="severities">
      {found.map((severity) => (
        <span
          key={severity}
          class={`badge tone-${SEVERITY_TONES[severity]} severity-${severity}`}
          title={t(`severity.${severity}`)}
        >
          <span class="sr-only">{t(`severity.${severity}`)} </span>
          {issues[severity]}
        </span>
      ))}
    </span>
  )
}
