import { t } from '../i18n'

const WIDTHS = ['62%', '44%', '55%', '38%', '50%']

/** The list's shape until it is there. */
export function Skeleton() {
  return (
    <div class="loop-rows card" role="status">
      <span class="sr-only">{t('loops.loading')}</span>
      {WIDTHS.map((width) => (
        <div key={width} class="loop-row" aria-hidden="true">
          <span class="bone" />
          <span class="bone" style={{ width }} />
        </div>
      ))}
    </div>
  )
}
