// All validations as charts: how many tests passed, and what they covered.
import { Awaited } from './absent'
import { Chart } from './Chart'
import type { Line } from './drawing'
import { moment, number, percent } from './format'
import { t } from './i18n'
import { type Resource, useHeld } from './resource'
import { Scroll } from './Scroll'
import { isKnown, passedIn, type Series, seriesOf } from './series'
import type { Validation } from './shapes'

export function History({ of }: { of: Resource<Validation[]> }) {
  const history = useHeld(of)
  return (
    <Awaited held={history} onRetry={of.touch}>
      {(runs) => (runs.length ? <Charts runs={runs} /> : null)}
    </Awaited>
  )
}

function Charts({ runs }: { runs: readonly Validation[] }) {
  const series = seriesOf(runs)
  const charts = [isKnown(series.passed), isKnown(series.coverage)] as const
  return (
    <section class="card" aria-labelledby="history-title">
      <header class="card-head">
        <h2 id="history-title">{t('history.title')}</h2>
        <span class="muted small">{t('history.runs', { n: runs.length })}</span>
      </header>
      <div class={`charts${charts.every(Boolean) ? ' two' : ''}`}>
        {charts[0] && (
          <Chart
            label={t('history.tests')}
            runs={series.runs}
            lines={testLines(series)}
            told={(at) => (runs[at] ? inWords(runs[at], at) : '')}
          />
        )}
        {charts[1] && (
          <Chart
            label={t('history.coverage')}
            runs={series.runs}
            lines={[{ name: t('history.coverage'), colour: '--accent', values: series.coverage, isBar: false }]}
            highest={100}
            told={(at) => told(series.coverage[at] ?? null, percent)}
          />
        )}
      </div>
      <Table runs={runs} />
    </section>
  )
}

function testLines(series: Series): Line[] {
  return [
    { name: t('tests.passed'), colour: '--bar-passed', values: series.passed, isBar: true },
    { name: t('tests.failed'), colour: '--bar-failed', values: series.failed, isBar: true },
    { name: t('tests.skipped'), colour: '--bar-skipped', values: series.skipped, isBar: true },
  ]
}

function inWords(run: Validation, at: number): string {
  return t('history.run', {
    run: at + 1,
    passed: told(passedIn(run)),
    failed: told(run.failed),
    skipped: told(run.skipped),
  })
}

function told(value: number | null, speak: (value: number) => string = number): string {
  return value === null ? '–' : speak(value)
}

/** The same for those who cannot see a chart, or want the numbers. */
function Table({ runs }: { runs: readonly Validation[] }) {
  return (
    <details class="card-body small">
      <summary>{t('history.table')}</summary>
      <Scroll class="scroll" label={t('history.table')}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{t('history.column.run')}</th>
              <th scope="col">{t('history.column.at')}</th>
              <th scope="col">{t('history.column.iteration')}</th>
              <th scope="col">{t('tests.passed')}</th>
              <th scope="col">{t('tests.failed')}</th>
              <th scope="col">{t('tests.skipped')}</th>
              <th scope="col">{t('history.coverage')}</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <tr key={run.seq}>
                <th scope="row">{at + 1}</th>
                <td>{moment(run.at)}</td>
                <td>{run.iteration}</td>
                <td>{told(passedIn(run))}</td>
                <td>{told(run.failed)}</td>
                <td>{told(run.skipped)}</td>
                <td>{told(run.coverage, percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}
