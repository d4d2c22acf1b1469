// The few numbers that say how far it is.
import type { CycleView } from '../api/cycles'
import { Figure } from '../run/Figure'
import { duration, money, number, percent } from '../run/format'
import { t as run } from '../run/i18n'
import { t } from './i18n'
import type { Watched } from './watch'

export function Figures({ seen, view: { cycle } }: { seen: Watched; view: CycleView }) {
  const { test_results: tests, plan, changes } = cycle
  const { budget } = cycle.engine
  const failed = tests?.failed_tests.length ?? 0
  const done = plan?.tasks.filter(({ status }) => status === 'completed').length ?? 0
  return (
    <dl class="figures">
      <Figure
        name={run('figure.tests')}
        tone={failed ? 'bad' : tests?.total_tests ? 'good' : undefined}
        note={
          !tests ? run('figure.no_tests') : failed ? run('figure.failing', { n: failed }) : percent(tests.pass_rate)
        }
      >
        {tests ? (
          <a href={seen.place.href('tests')}>
            {number(tests.total_tests - failed)}
            <small> / {number(tests.total_tests)}</small>
          </a>
        ) : (
          '–'
        )}
      </Figure>
      {tests && tests.coverage > 0 && <Figure name={run('figure.coverage')}>{percent(tests.coverage)}</Figure>}
      <Figure name={t('figure.plan')} {...(plan && { note: plan.total_estimated_effort })}>
        {plan ? (
          <a href={seen.place.href('plan')}>
            {done}
            <small> / {plan.tasks.length}</small>
          </a>
        ) : (
          '–'
        )}
      </Figure>
      <Figure name={t('figure.files')}>
        <a href={seen.place.href('changes')}>{changes?.total_files ?? 0}</a>
      </Figure>
      <Figure name={run('figure.time')}>{duration(budget.spent_seconds)}</Figure>
      {budget.cost !== null && budget.cost !== undefined && (
        <Figure name={run('figure.cost')}>{money(budget.cost)}</Figure>
      )}
      {budget.tokens !== null && budget.tokens !== undefined && (
        <Figure name={run('figure.tokens')}>{number(budget.tokens)}</Figure>
      )}
    </dl>
  )
}
