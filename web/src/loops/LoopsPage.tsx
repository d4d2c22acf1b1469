// All loops, live.
import { t } from '../i18n'

export function LoopsPage() {
  return <h1>{t('nav.loops')}</h1>
}
