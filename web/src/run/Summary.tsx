// All that is to be told of an ended run, in the words of summary.md.
import { useEffect, useMemo } from 'preact/hooks'
import { get } from '../api/client'
import { t } from './i18n'
import { Prose } from './Prose'
import { resource, useHeld } from './resource'
import type { FileText } from './shapes'

/** `path`: where it is read. */
export function Summary({ path, rev }: { path: string; rev: number }) {
  const summary = useMemo(() => resource(() => get<FileText>(path)), [path])
  // A stop is committed before its summary is written; each later change is the time for another look.
  useEffect(() => {
    if (rev) summary.touch()
  }, [summary, rev])
  const { data } = useHeld(summary)
  if (!data) return null
  return (
    <details class="card">
      <summary class="card-head">
        <h2>{t('summary.title')}</h2>
      </summary>
      <div class="card-body">
        <Prose text={withoutTitle(data.text)} />
      </div>
    </details>
  )
}

/** Its first line is the title, which stands above already. */
function withoutTitle(text: string): string {
  return text.replace(/^# .*\n+/, '')
}
