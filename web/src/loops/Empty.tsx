// A list without loops: how to begin.
import { t } from '../i18n'

export function Empty({ onCreate }: { onCreate: () => void }) {
  return (
    <section class="blank card">
      <h2>{t('loops.empty.title')}</h2>
      <p>{t('loops.empty.words')}</p>
      <p>
        <button type="button" class="button primary" onClick={onCreate}>
          {t('loops.new')}
        </button>
      </p>
      <p class="muted small">
        {t('loops.empty.terminal')} <code>loopwright run --auto "…"</code>
      </p>
    </section>
  )
}
