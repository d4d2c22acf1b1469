// The first section: how it ended or what is happening now, with the plan and what it costs beside it.
import type { PlanLine } from '../api/details'
import type { Loop } from '../api/types'
import { ActivityCard, Budget, Description, Incidents, SettingsCard, Summary, settingLines } from '../run/cards'
import { t } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import { Card, Figure, SpendingFigures } from '../run/panels'
import { Result } from '../run/Result'
import { patchesOf } from '../run/rivals'
import { duration, moment, number, percent } from '../ui/format'
import { Attempts } from './Attempts'
import type { LoopResources, Section } from './parts'
import { ReviewCard } from './Review'
import { tallyOf } from './tests'

export function Overview({ resources, view }: Section) {
  const { run: loop } = view
  const isOver = loop.engine.outcome !== null && loop.engine.outcome !== undefined
  const { passed, failed } = tallyOf(loop)
  return (
    <>
      {isOver && (
        <Result
          address={resources.address}
          diff={resources.parts.diff}
          of={loop}
          tests={{ passed, all: passed + failed }}
          patches={patchesOf(loop.skill_state?.debug.hypotheses ?? [])}
        />
      )}
      <Attempts resources={resources} view={view} />
      <Figures resources={resources} loop={loop} />
      <div class="halves">
        <div class="stack">
          <ReviewCard loop={loop} />
          <Description title={loop.title} text={loop.description} />
          {isOver && <Summary address={resources.address} rest="/progress/summary.md" rev={loop.engine.rev} />}
          <ActivityCard run={resources} view={view} isOver={isOver}>
            <CurrentAction view={view} />
          </ActivityCard>
        </div>
        <aside class="stack" aria-label={t('overview.aside')}>
          <Plan resources={resources} />
          <Budget budget={loop.engine.budget} />
          <Incidents incidents={loop.engine.incidents} errors={loop.skill_state?.errors ?? []} />
          <Settings loop={loop} />
        </aside>
      </div>
    </>
  )
}

function CurrentAction({ view }: Pick<Section, 'view'>) {
  const current = view.live ? view.run.skill_state?.current_action : null
  return current ? (
    <span class="badge tone-info">
      <span class="dot live" aria-hidden="true" />
      {t(`action.${current}`)}
    </span>
  ) : null
}

/** The few numbers that say how far it is. */
function Figures({ resources, loop }: { resources: LoopResources; loop: Loop }) {
  const skill = loop.skill_state
  const counts = tallyOf(loop)
  const { budget, checkpoints } = loop.engine
  return (
    <dl class="figures">
      <Figure
        name={t('figure.tests')}
        tone={counts.failed ? 'bad' : skill?.validate.passed ? 'good' : undefined}
        note={counts.all ? testsInWords(counts) : t('figure.no_tests')}
      >
        {counts.all ? (
          <a href={resources.address.href('tests')}>
            {number(counts.passed)}
            <small> / {number(counts.all)}</small>
          </a>
        ) : (
          '–'
        )}
      </Figure>
      {skill !== null && skill !== undefined && skill.validate.coverage > 0 && (
        <Figure name={t('figure.coverage')}>{percent(skill.validate.coverage)}</Figure>
      )}
      {skill !== null && skill !== undefined && skill.develop.total > 0 && (
        <Figure name={t('figure.tasks')}>
          <a href={resources.address.href('tasks')}>
            {skill.develop.completed}
            <small> / {skill.develop.total}</small>
          </a>
        </Figure>
      )}
      <SpendingFigures budget={budget} />
      <Figure name={t('figure.checkpoints')}>
        <a href={resources.address.href('changes')}>{checkpoints.length}</a>
      </Figure>
    </dl>
  )
}

function testsInWords({ failed, skipped }: { failed: number; skipped: number }): string {
  if (failed) return t('figure.failing', { n: failed })
  return skipped ? t('figure.skipped', { n: skipped }) : t('figure.all_pass')
}

/** On a terminal it shows the depth; here the indent does. */
const ARROW = /^→ /
const MARKS: Readonly<Record<PlanLine['status'], string>> = { completed: '✓', in_progress: '▸', pending: '○' }

/** The live plan: what is done, folded to a line each, what is under way, and what is still to come. */
function Plan({ resources }: { resources: LoopResources }) {
  return (
    <Card id="plan" title={t('plan.title')}>
      <div class="card-body">
        <Loaded of={resources.parts.plan}>
          {(lines) => (
            <ol class="plan">
              {lines.map((line, at) => (
                <li key={at} class={line.status} style={{ paddingInlineStart: `${line.depth * 16}px` }}>
                  <span class="mark" aria-hidden="true">
                    {MARKS[line.status]}
                  </span>
                  <span>
                    {line.content.replace(ARROW, '')}
                    <span class="sr-only"> ({t(`plan.${line.status}`)})</span>
                  </span>
                </li>
              ))}
            </ol>
          )}
        </Loaded>
      </div>
    </Card>
  )
}

function Settings({ loop }: { loop: Loop }) {
  const { settings, allow_test_changes } = loop.engine
  return (
    <SettingsCard
      lines={[
        ...settingLines(settings, allow_test_changes),
        [t('settings.review'), settings.review],
        [t('settings.test_timeout'), duration(settings.test_timeout)],
        [t('settings.per_test_timeout'), settings.per_test_timeout ? duration(settings.per_test_timeout) : null],
        [t('settings.test_parallel'), settings.test_parallel ? String(settings.test_parallel) : null],
        [t('settings.action_timeout'), duration(settings.action_timeout)],
        [t('settings.park'), !settings.park && t('settings.no_park')],
        [t('settings.priority'), loop.priority && t(`priority.${loop.priority}`)],
        [t('settings.tags'), loop.tags?.join(', ')],
        [t('settings.notes'), loop.notes],
        [t('settings.created'), moment(loop.created_at)],
        [t('settings.completed'), loop.completed_at && moment(loop.completed_at)],
      ]}
    />
  )
}
