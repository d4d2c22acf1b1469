// How it ended, in the words of summary.md.
import { useEffect, useMemo } from 'preact/hooks'
import { get } from '../api/client'
import { t } from './i18n'
import { Prose } from './Prose'
import { resource, useHeld } from './resource'
import type { FileText } from './shapes'
import { pathOf, type Watched } from './watch'

const SUMMARY = 'summary.md'

export function Summary({ seen, rev }: { seen: Watched; rev: number }) {
  const { at } = seen
  const summary = useMemo(() => resource(() => get<FileText>(pathOf(at, `/progress/${SUMMARY}`))), [at])
  // A stop is committed before its summary is written; each later change is the time for another look.
  useEffect(() => {
    if (rev) summary.touch()
  }, [summary, rev])
  const { data } = useHeld(summary)
  if (!data) return null
  return (
    <section class="card" aria-labelledby="summary-title">
      <header class="card-head">
        <h2 id="summary-title">{t('summary.title')}</h2>
      </header>
      <div class="card-body">
        <Prose text={withoutTitle(data.text)} />
      </div>
    </section>
  )
}

/** Its first line is the loop's title, which stands above already. */
function withoutTitle(text: string): string {
  return text.replace(/^# .*\n+/, '')
}
