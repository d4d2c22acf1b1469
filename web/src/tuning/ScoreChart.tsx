// The score in each report, and the gate that it reached.
import type { Tuning } from '../api/tunings'
import { Chart } from '../run/Chart'
import { number } from '../run/format'
import { t } from './i18n'

export function ScoreChart({ tuning }: { tuning: Tuning }) {
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
          told={(at) => {
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
