// The first tab: how good the skill is, what is wrong with it by dimension, and the most urgent of it.
import { DIMENSIONS, type Dimension, SEVERITIES, type Tuning } from '../api/tunings'
import { Budget, Incidents, type SettingLine, SettingsCard } from '../run/cards'
import { Chart } from '../run/charts'
import { t as run } from '../run/i18n'
import { Card, Figure } from '../run/panels'
import { moment, number } from '../ui/format'
import { isCounted, sortFindings } from './findings'
import { knownWords, t } from './i18n'
import type { Section, TuningView } from './parts'
import { GATE_TONES, SEVERITY_TONES } from './tones'

/** Findings that are shown here. */
const FEW = 6

export function Overview(section: Section) {
  const { view } = section
  const { engine, errors } = view.run
  return (
    <>
      <Figures {...section} />
      <Dimensions {...section} />
      <div class="halves">
        <Worst {...section} />
        <aside class="stack" aria-label={t('overview.aside')}>
          <ScoreChart tuning={view.run} />
          {engine.agent && <Budget budget={engine.budget} />}
          <Incidents
            incidents={engine.incidents}
            errors={errors.map(({ action, message, timestamp }) => ({ action, message, timestamp }))}
          />
          <Settings view={view} />
        </aside>
      </div>
    </>
  )
}

function Figures({ resources, view: { run: tuning } }: Section) {
  const { engine, issues_by_severity: counts, quality_gate: gate } = tuning
  const isKnown = engine.standings.length > 0
  const standing = tuning.applied_fixes.filter(({ success, rollback_available }) => success && rollback_available)
  const tone = GATE_TONES[gate]
  const isExactOnly = engine.dimensions.some((name) => !engine.reviewed.includes(name))
  return (
    <dl class="figures">
      <Figure
        name={t('figure.score')}
        tone={isKnown && tone !== 'warn' ? (tone === 'good' ? 'good' : 'bad') : undefined}
        {...(isKnown && { note: t(`gate.${gate}`) })}
      >
        {isKnown ? (
          <span>
            {number(tuning.quality_score, 1)}
            <small> {isExactOnly ? t('figure.exact_only') : '/ 100'}</small>
          </span>
        ) : (
          '–'
        )}
      </Figure>
      <Figure
        name={t('figure.findings')}
        {...(engine.silenced.length > 0 && { note: t('figure.suppressed', { n: engine.silenced.length }) })}
      >
        <a href={resources.address.href('findings')}>{engine.findings.filter(isCounted).length}</a>
      </Figure>
      {SEVERITIES.map((severity) => (
        <Figure
          key={severity}
          name={t(`severity.${severity}`)}
          tone={counts[severity] > 0 && SEVERITY_TONES[severity] === 'bad' ? 'bad' : undefined}
        >
          {counts[severity]}
        </Figure>
      ))}
      <Figure
        name={t('figure.applied')}
        {...(tuning.proposed_fixes.length > 0 && {
          note: t('figure.of_proposed', { n: tuning.proposed_fixes.length }),
        })}
      >
        <a href={resources.address.href('fixes')}>{standing.length}</a>
      </Figure>
      {engine.size > 0 && <Figure name={t('figure.size')}>{number(engine.size)}</Figure>}
    </dl>
  )
}

function Dimensions({ resources, view: { run: tuning } }: Section) {
  return (
    <section class="dimensions" aria-label={t('dimensions.title')}>
      {DIMENSIONS.map((name) => (
        <a key={name} class="card dimension" href={resources.address.href(`findings-${name}`)}>
          <strong>{t(`dimension.${name}`)}</strong>
          <span class="muted small">{t(`dimension.${name}_hint`)}</span>
          <DimensionWords name={name} tuning={tuning} />
        </a>
      ))}
    </section>
  )
}

function DimensionWords({ name, tuning }: { name: Dimension; tuning: Tuning }) {
  if (!tuning.engine.dimensions.includes(name)) return <span class="badge">{t('dimensions.skipped')}</span>
  const result = tuning.diagnosis[name]
  if (!result) return <span class="badge">{t('dimensions.waiting')}</span>
  if (result.status === 'skipped') return <span class="badge">{t('dimensions.skipped')}</span>
  if (result.status === 'failed') return <span class="badge tone-bad">{t('dimensions.failed')}</span>
  return (
    <span class="row small">
      {result.issues_found > 0 && result.severity !== 'none' ? (
        <span class={`badge tone-${SEVERITY_TONES[result.severity]} severity-${result.severity}`}>
          {t('dimensions.found', { n: result.issues_found })} · {t(`severity.${result.severity}`)}
        </span>
      ) : (
        <span class="badge tone-good">{t('dimensions.none')}</span>
      )}
      <span class="muted">{t('dimensions.rules', { n: result.details.patterns_checked.length })}</span>
    </span>
  )
}

function Worst({ resources, view: { run: tuning } }: Section) {
  const findings = sortFindings(tuning.engine.findings)
  const urgent = findings.filter(isCounted)
  const isKnown = tuning.engine.standings.length > 0
  return (
    <Card
      id="worst"
      title={t('overview.worst')}
      head={
        findings.length > 0 && (
          <a class="small" href={resources.address.href('findings')}>
            {t('overview.all')} ({findings.length})
          </a>
        )
      }
    >
      {urgent.length === 0 ? (
        <p class="card-body muted">{t(isKnown ? 'overview.clean' : 'overview.not_yet')}</p>
      ) : (
        <ul class="urgent">
          {urgent.slice(0, FEW).map((finding, at) => (
            <li key={at}>
              <a href={resources.address.href(`findings-all-${at}`)}>
                <span class={`badge tone-${SEVERITY_TONES[finding.severity]} severity-${finding.severity}`}>
                  {t(`severity.${finding.severity}`)}
                </span>
                <span class="urgent-words">
                  <span>{finding.message}</span>
                  <span class="muted small mono">
                    {finding.file}:{finding.line} · {finding.rule}
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Settings({ view: { run: tuning } }: { view: TuningView }) {
  const { engine, target_skill: skill } = tuning
  const lines: readonly SettingLine[] = [
    [t('settings.path'), engine.path],
    [
      t('settings.execution'),
      skill.execution_mode && knownWords(`execution.${skill.execution_mode}`, skill.execution_mode),
    ],
    [t('settings.phases'), skill.phases.length ? String(skill.phases.length) : null],
    [t('create.dimensions'), engine.dimensions.map((name) => t(`dimension.${name}`)).join(', ')],
    [t('settings.level'), t(`level.${engine.level}`)],
    [run('standing.agent'), engine.agent],
    [t('settings.choosing'), engine.choosing ? t('settings.person') : null],
    [t('settings.description'), tuning.user_issue_description || null],
    [run('settings.created'), engine.created_at && moment(engine.created_at)],
  ]
  return <SettingsCard lines={lines} />
}

/** The score in each report, and the gate that it reached. */
function ScoreChart({ tuning }: { tuning: Tuning }) {
  const { standings } = tuning.engine
  // One point is no course; the number itself stands above.
  if (standings.length < 2) return null
  return (
    <section class="card" aria-labelledby="score-title">
      <h2 id="score-title" class="sr-only">
        {t('score.title')}
      </h2>
      <div class="charts score-chart">
        <Chart
          label={t('score.title')}
          runs={standings.map((_, at) => at + 1)}
          lines={[
            { name: t('figure.score'), colour: '--accent', values: standings.map(({ score }) => score), isBar: false },
          ]}
          highest={100}
          describe={(at) => {
            const standing = standings[at]
            return standing
              ? t('score.told', {
                  n: at + 1,
                  score: number(standing.score, 1),
                  gate: t(`gate.${standing.gate}`),
                })
              : ''
          }}
        />
      </div>
    </section>
  )
}
