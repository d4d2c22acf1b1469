// What the loop was asked for.
import { t } from './i18n'
import { Prose } from './Prose'

/** Shown without being asked for. */
const SHORT = 400
const FEW_LINES = 5

export function Description({ title, text }: { title: string; text: string }) {
  const words = text.trim()
  if (!words || words === title) return null
  return words.length < SHORT && words.split('\n').length <= FEW_LINES ? (
    <div class="about">
      <Prose text={words} />
    </div>
  ) : (
    <details class="about">
      <summary>{t('overview.description')}</summary>
      <Prose text={words} />
    </details>
  )
}
