// The loop's progress files, to read.
import { useState } from 'preact/hooks'
import type { FileText, ProgressFile } from '../api/details'
import { LoadedText } from '../run/cards'
import { t } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import { usePart } from '../run/resources'
import { bytes, moment } from '../ui/format'
import type { LoopResources, Section } from './parts'

/** Opened where nothing else was asked for. */
const FIRST = 'summary.md'

export function Files({ resources, detail }: Section) {
  return (
    <Loaded of={resources.parts.files}>
      {(listed) => {
        const all = listed.toSorted((a, b) => Number(isProse(b.name)) - Number(isProse(a.name)))
        const open = all.find(({ name }) => name === detail) ?? all.find(({ name }) => name === FIRST) ?? all[0]
        return open ? (
          <div class="changes">
            <List resources={resources} all={all} open={open.name} />
            <OneFile key={open.name} resources={resources} file={open} />
          </div>
        ) : (
          <p class="empty">{t('files.empty')}</p>
        )
      }}
    </Loaded>
  )
}

function List({ resources, all, open }: { resources: LoopResources; all: ProgressFile[]; open: string }) {
  return (
    <nav class="checkpoints" aria-label={t('tab.files')}>
      <ul>
        {all.map(({ name, size, modified_at }) => (
          <li key={name}>
            <a href={resources.address.href(`files-${name}`)} aria-current={name === open ? 'true' : undefined}>
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

function OneFile({ resources, file }: { resources: LoopResources; file: ProgressFile }) {
  const { address } = resources
  const { name, modified_at } = file
  const [isRaw, setRaw] = useState(false)
  const text = usePart<FileText>(address, `/progress/${encodeURIComponent(name)}`, {}, modified_at)
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
        <LoadedText of={text} name={name} isRaw={isRaw} />
      </div>
    </section>
  )
}

function isProse(name: string): boolean {
  return name.endsWith('.md')
}
