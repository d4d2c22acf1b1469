// The loop's progress files, to read.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get } from '../api/client'
import { Awaited } from './absent'
import { bytes, moment } from './format'
import { t } from './i18n'
import { Prose } from './Prose'
import { resource, useHeld } from './resource'
import type { FileText, ProgressFile } from './shapes'
import type { Section } from './Tabbed'
import { pathOf, type Watched } from './watch'

export function Files({ seen }: Section) {
  const files = useHeld(seen.files)
  const [wanted, setWanted] = useState<string | null>(null)
  return (
    <Awaited held={files} onRetry={seen.files.touch}>
      {(all) => {
        const open = all.find(({ name }) => name === wanted) ?? all[0]
        return open ? (
          <div class="changes">
            <List all={all} open={open.name} onOpen={setWanted} />
            <OneFile key={open.name} seen={seen} file={open} />
          </div>
        ) : (
          <p class="empty">{t('files.empty')}</p>
        )
      }}
    </Awaited>
  )
}

function List({ all, open, onOpen }: { all: ProgressFile[]; open: string; onOpen: (name: string) => void }) {
  return (
    <nav class="checkpoints" aria-label={t('tab.files')}>
      <ul>
        {all.map(({ name, size, modified_at }) => (
          <li key={name}>
            <button type="button" aria-current={name === open ? 'true' : undefined} onClick={() => onOpen(name)}>
              <strong>{name}</strong>
              <span class="muted small">
                {bytes(size)} · {moment(modified_at)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function OneFile({ seen, file }: { seen: Watched; file: ProgressFile }) {
  const { at } = seen
  const { name, modified_at } = file
  const [isRaw, setRaw] = useState(false)
  const own = useMemo(
    () => resource(() => get<FileText>(pathOf(at, `/progress/${encodeURIComponent(name)}`))),
    [at, name],
  )
  useEffect(() => {
    if (modified_at) own.touch()
  }, [own, modified_at])
  const isMarkdown = name.endsWith('.md')
  return (
    <section class="card" aria-labelledby="file-title">
      <header class="card-head">
        <h2 id="file-title" class="mono">
          {name}
        </h2>
        {isMarkdown && (
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
              {isMarkdown && !isRaw ? <Prose text={text} /> : <pre class="output bare">{text}</pre>}
            </>
          )}
        </Awaited>
      </div>
    </section>
  )
}
