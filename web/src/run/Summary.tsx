// How it ended, in the words of summary.md.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get } from '../api/client'
import { t } from './i18n'
import { Prose } from './Prose'
import { resource, useHeld } from './resource'
import type { FileText } from './shapes'

/** A longer one is shown as far as its beginning goes. Characters. */
const LONG = 1200

/** `path`: where it is read. */
export function Summary({ path, rev }: { path: string; rev: number }) {
  const summary = useMemo(() => resource(() => get<FileText>(path)), [path])
  // A stop is committed before its summary is written; each later change is the time for another look.
  useEffect(() => {
    if (rev) summary.touch()
  }, [summary, rev])
  const { data } = useHeld(summary)
  const [isOpen, setWhole] = useState(false)
  if (!data) return null
  const text = withoutTitle(data.text)
  const isWhole = isOpen || text.length < LONG
  return (
    <section class="card" aria-labelledby="summary-title">
      <header class="card-head">
        <h2 id="summary-title">{t('summary.title')}</h2>
      </header>
      <div class={`card-body${isWhole ? '' : ' beginning'}`}>
        <Prose text={text} />
      </div>
      {!isWhole && (
        <button type="button" class="button plain more" onClick={() => setWhole(true)}>
          {t('summary.all')}
        </button>
      )}
    </section>
  )
}

/** Its first line is the title, which stands above already. */
function withoutTitle(text: string): string {
  return text.replace(/^# .*\n+/, '')
}
