// The loop's progress files, to read.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get } from '../api/client'
import { Awaited } from '../run/absent'
import { bytes, moment } from '../run/format'
import { t } from '../run/i18n'
import { Prose } from '../run/Prose'
import { resource, useHeld } from '../run/resource'
import { Scroll } from '../run/Scroll'
import type { FileText, ProgressFile } from '../run/shapes'
import type { Section, Watched } from './watch'

/** Opened where nothing else was asked for. */
const FIRST = 'summary.md'

export function Files({ seen, detail }: Section) {
  const files = useHeld(seen.files)
  return (
    <Awaited held={files} onRetry={seen.files.touch}>
      {(listed) => {
        const all = listed.toSorted((a, b) => Number(isProse(b.name)) - Number(isProse(a.name)))
        const open = all.find(({ name }) => name === detail) ?? all.find(({ name }) => name === FIRST) ?? all[0]
        return open ? (
          <div class="changes">
            <List seen={seen} all={all} open={open.name} />
            <OneFile key={open.name} seen={seen} file={open} />
          </div>
        ) : (
          <p class="empty">{t('files.empty')}</p>
        )
      }}
    </Awaited>
  )
}

function List({ seen, all, open }: { seen: Watched; all: ProgressFile[]; open: string }) {
  return (
    <nav class="checkpoints" aria-label={t('tab.files')}>
      <ul>
        {all.map(({ name, size, modified_at }) => (
          <li key={name}>
            <a href={seen.place.href(`files-${name}`)} aria-current={name === open ? 'true' : undefined}>
              <strong>{name}</strong>
              <span class="muted small">
                {bytes(size)} · {moment(modified_at)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function OneFile({ seen, file }: { seen: Watched; file: ProgressFile }) {
  const { place } = seen
  const { name, modified_at } = file
  const [isRaw, setRaw] = useState(false)
  const own = useMemo(
    () => resource(() => get<FileText>(place.path(`/progress/${encodeURIComponent(name)}`))),
    [place, name],
  )
  useEffect(() => {
    if (modified_at) own.touch()
  }, [own, modified_at])
  return (
    <section class="card" aria-labelledby="file-title">
      <header class="card-head">
        <h2 id="file-title" class="mono">
          {name}
        </h2>
        {isProse(name) && (
          <button type="button" class="button plain" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {t('files.raw')}
          </button>
        )}
      </header>
      <div class="card-body">
        <Awaited held={useHeld(own)} onRetry={own.touch}>
          {({ text, truncated }) => (
            <>
              {truncated && <p class="notice tone-warn small">{t('files.truncated')}</p>}
              {isProse(name) && !isRaw ? (
                <Prose text={text} />
              ) : (
                <Scroll class="output bare" label={t('files.text', { name })}>
                  {text}
                </Scroll>
              )}
            </>
          )}
        </Awaited>
      </div>
    </section>
  )
}

function isProse(name: string): boolean {
  return name.endsWith('.md')
}
