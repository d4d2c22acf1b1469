// All validations as charts: how many tests passed, and what they covered.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import type { Validation } from '../api/details'
import { isDark } from '../app/theme'
import { moment, number, percent } from '../ui/format'
import { type ChartContent, drawChart, type Line } from './drawing'
import { t } from './i18n'
import { Loaded } from './Loaded'
import { Card, Scroll } from './panels'
import type { Resource } from './resource'
import { isKnown, passedOf, type Series, seriesOf } from './series'

export function History({ of }: { of: Resource<Validation[]> }) {
  return <Loaded of={of}>{(runs) => (runs.length ? <Charts runs={runs} /> : null)}</Loaded>
}

function Charts({ runs }: { runs: readonly Validation[] }) {
  const series = seriesOf(runs)
  const charts = [isKnown(series.passed), isKnown(series.coverage)] as const
  return (
    <Card
      id="history"
      title={t('history.title')}
      head={<span class="muted small">{t('history.runs', { n: runs.length })}</span>}
    >
      <div class={`charts${charts.every(Boolean) ? ' two' : ''}`}>
        {charts[0] && (
          <Chart
            label={t('history.tests')}
            runs={series.runs}
            lines={testLines(series)}
            describe={(at) => (runs[at] ? inWords(runs[at], at) : '')}
          />
        )}
        {charts[1] && (
          <Chart
            label={t('history.coverage')}
            runs={series.runs}
            lines={[{ name: t('history.coverage'), colour: '--accent', values: series.coverage, isBar: false }]}
            highest={100}
            describe={(at) => formatKnown(series.coverage[at] ?? null, percent)}
          />
        )}
      </div>
      <Table runs={runs} />
    </Card>
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
    passed: formatKnown(passedOf(run)),
    failed: formatKnown(run.failed),
    skipped: formatKnown(run.skipped),
  })
}

function formatKnown(value: number | null, speak: (value: number) => string = number): string {
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
                <td>{formatKnown(passedOf(run))}</td>
                <td>{formatKnown(run.failed)}</td>
                <td>{formatKnown(run.skipped)}</td>
                <td>{formatKnown(run.coverage, percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}

const HEIGHT = 150

/** Stacked bars or a line. It follows the width it is given and the colours of the theme. */
export function Chart(chart: ChartContent) {
  const { label, runs, lines, describe } = chart
  const box = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const dark = isDark()
  const content = JSON.stringify([runs, lines, chart.highest])

  useEffect(() => {
    const home = box.current
    if (!home) return
    let plot: uPlot | null = null
    let isOver = false
    const size = () => ({ width: Math.max(120, home.clientWidth), height: HEIGHT })
    void drawChart(chart, size(), home, setPointed).then((made) => {
      if (isOver) made.destroy()
      else plot = made
    })
    const watcher = new ResizeObserver(() => plot?.setSize(size()))
    watcher.observe(home)
    return () => {
      isOver = true
      watcher.disconnect()
      plot?.destroy()
    }
    // `content` stands for what is drawn; the objects are new with every look.
  }, [content, dark])

  return (
    <figure class="chart">
      <figcaption>
        <strong>{label}</strong>
        <span class="muted small">{describe(pointed ?? runs.length - 1)}</span>
      </figcaption>
      <div class="chart-box" ref={box} role="img" aria-label={`${label}: ${describe(runs.length - 1)}`} />
      {lines.length > 1 && (
        <ul class="legend small" aria-hidden="true">
          {lines.map((line) => (
            <li key={line.name}>
              <i style={{ background: `var(${line.colour})` }} />
              {line.name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}
