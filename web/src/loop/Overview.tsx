// The first tab: how it ended or what is happening now, with the plan and what it costs beside it.
import { Budget } from '../run/Budget'
import { Description } from '../run/Description'
import { Incidents } from '../run/Incidents'
import { t } from '../run/i18n'
import { Result } from '../run/Result'
import { patchesOf } from '../run/rivals'
import { Summary } from '../run/Summary'
import { Talk } from '../run/Talk'
import { Figures } from './Figures'
import { Plan } from './Plan'
import { Settings } from './Settings'
import { countsOf } from './tests'
import type { Section } from './watch'

export function Overview({ seen, view }: Section) {
  const { loop } = view
  const isOver = loop.engine.outcome !== null && loop.engine.outcome !== undefined
  const { passed, failed } = countsOf(loop.skill_state?.validate.test_results ?? [])
  return (
    <>
      {isOver && (
        <Result
          place={seen.place}
          diff={seen.diff}
          of={loop}
          tests={{ passed, all: passed + failed }}
          patches={patchesOf(loop.skill_state?.debug.hypotheses ?? [])}
        />
      )}
      <Figures seen={seen} view={view} />
      <div class="halves">
        <div class="stack">
          <Description title={loop.title} text={loop.description} />
          {isOver && <Summary path={seen.place.path('/progress/summary.md')} rev={loop.engine.rev} />}
          <section class="card" aria-labelledby="now-title">
            <header class="card-head">
              <h2 id="now-title">{t(isOver ? 'now.before' : 'now.title')}</h2>
              <Activity view={view} />
            </header>
            <Talk talk={seen.talk.value} status={loop.status} isLive={view.live} />
          </section>
        </div>
        <aside class="stack" aria-label={t('overview.aside')}>
          <Plan seen={seen} />
          <Budget budget={loop.engine.budget} />
          <Incidents incidents={loop.engine.incidents} errors={loop.skill_state?.errors ?? []} />
          <Settings view={view} />
        </aside>
      </div>
    </>
  )
}

function Activity({ view }: Pick<Section, 'view'>) {
  const current = view.live ? view.loop.skill_state?.current_action : null
  return current ? (
    <span class="badge tone-info">
      <span class="dot live" aria-hidden="true" />
      {t(`action.${current}`)}
    </span>
  ) : null
}
