// The few numbers that say how far it is.
import type { LoopView } from '../api/types'
import { Figure } from '../run/Figure'
import { duration, money, number, percent } from '../run/format'
import { t } from '../run/i18n'
import { countsOf } from './tests'
import type { Watched } from './watch'

export function Figures({ seen, view: { loop } }: { seen: Watched; view: LoopView }) {
  const skill = loop.skill_state
  const counts = countsOf(skill?.validate.test_results ?? [])
  const { budget, checkpoints } = loop.engine
  return (
    <dl class="figures">
      <Figure
        name={t('figure.tests')}
        tone={counts.failed ? 'bad' : skill?.validate.passed ? 'good' : undefined}
        note={counts.all ? testsInWords(counts) : t('figure.no_tests')}
      >
        {counts.all ? (
          <a href={seen.place.href('tests')}>
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
          <a href={seen.place.href('tasks')}>
            {skill.develop.completed}
            <small> / {skill.develop.total}</small>
          </a>
        </Figure>
      )}
      <Figure name={t('figure.time')}>{duration(budget.spent_seconds)}</Figure>
      {budget.cost !== null && budget.cost !== undefined && (
        <Figure name={t('figure.cost')}>{money(budget.cost)}</Figure>
      )}
      {budget.tokens !== null && budget.tokens !== undefined && (
        <Figure name={t('figure.tokens')}>{number(budget.tokens)}</Figure>
      )}
      <Figure name={t('figure.checkpoints')}>
        <a href={seen.place.href('changes')}>{checkpoints.length}</a>
      </Figure>
    </dl>
  )
}

function testsInWords({ failed, skipped }: { failed: number; skipped: number }): string {
  if (failed) return t('figure.failing', { n: failed })
  return skipped ? t('figure.skipped', { n: skipped }) : t('figure.all_pass')
}
