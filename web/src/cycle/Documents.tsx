// What the roles wrote, version by version, and what differs between any two of them.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { get } from '../api/client'
import { type DocumentLine, type DocumentText, documentPath } from '../api/cycles'
import { go } from '../app/router'
import { Awaited } from '../run/absent'
import { FileDiffs } from '../run/DiffView'
import { compared } from '../run/diff'
import { bytes, moment } from '../run/format'
import { t as run } from '../run/i18n'
import { Prose } from '../run/Prose'
import { resource, useHeld } from '../run/resource'
import { Scroll } from '../run/Scroll'
import { Picker } from '../ui/Picker'
import { partyWords, t } from './i18n'
import { before, type Chosen, chosenOf, detailOf, readable } from './versions'
import type { Section, Watched } from './watch'

/** Opened where nothing else was asked for, the first that is there. */
const FIRST = ['coordination/summary.md', 'ra/requirements.md']

export function Documents({ seen, detail }: Section) {
  const held = useHeld(seen.documents)
  return (
    <Awaited held={held} onRetry={seen.documents.touch}>
      {(all) => {
        const chosen = chosenOf(detail ?? '')
        const names = [chosen.name, ...FIRST]
        const open = names.map((name) => all.find((one) => one.name === name)).find(Boolean) ?? all[0]
        return open ? (
          <div class="changes">
            <List seen={seen} all={all} open={open.name} />
            <One key={open.name} seen={seen} line={open} chosen={{ ...chosen, name: open.name }} />
          </div>
        ) : (
          <p class="empty">{run('files.empty')}</p>
        )
      }}
    </Awaited>
  )
}

function List({ seen, all, open }: { seen: Watched; all: readonly DocumentLine[]; open: string }) {
  const folders = [...new Set(all.map(({ folder }) => folder))]
  return (
    <nav class="checkpoints" aria-label={t('tab.documents')}>
      {folders.map((folder) => (
        <div key={folder} class="folder">
          <h3 class="small muted">{partyWords(folder)}</h3>
          <ul>
            {all
              .filter((one) => one.folder === folder)
              .toSorted((a, b) => Number(isLog(a)) - Number(isLog(b)))
              .map(({ name, version, size, modified_at }) => (
                <li key={name}>
                  <a
                    href={seen.place.href(`documents-${name}`)}
                    aria-current={name === open ? 'true' : undefined}
                    title={`${bytes(size)} · ${moment(modified_at)}`}
                  >
                    <span class="row spread">
                      <strong>{name.slice(folder.length + 1)}</strong>
                      {version && <span class="mono small muted">{version}</span>}
                    </span>
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** What is only appended to comes after what was written for people. */
function isLog({ name, version }: DocumentLine): boolean {
  return version === null && !name.endsWith('.md')
}

function One({ seen, line, chosen }: { seen: Watched; line: DocumentLine; chosen: Chosen }) {
  const [isRaw, setRaw] = useState(false)
  const { name, version: latest, versions } = line
  const version = versions.find((one) => one === chosen.version) ?? latest
  const against = versions.find((one) => one === chosen.against && one !== version) ?? null
  const choose = (change: Partial<Chosen>) => go(seen.place.href(`documents-${detailOf({ ...chosen, ...change })}`))
  const previous = version && before(versions, version)
  return (
    <section class="card" aria-labelledby="document-title">
      <header class="card-head">
        <h2 id="document-title" class="mono">
          {name}
        </h2>
        <div class="row">
          {versions.length > 1 && version && (
            <>
              <Picker
                label={t('documents.version')}
                value={version}
                options={versions.toReversed().map((one) => [one, t('documents.is', { version: one })] as const)}
                onPick={(picked) => choose({ version: picked === latest ? null : picked })}
              />
              <Picker
                label={t('documents.against')}
                value={against ?? ''}
                options={[
                  ['', t('documents.alone')],
                  ...versions
                    .filter((one) => one !== version)
                    .toReversed()
                    .map((one) => [one, t('documents.since', { version: one })] as const),
                ]}
                onPick={(picked) => choose({ against: picked || null })}
              />
            </>
          )}
          {!against && previous && (
            <button type="button" class="button plain" onClick={() => choose({ against: previous })}>
              {t('documents.what_changed')}
            </button>
          )}
          {!against && name.endsWith('.md') && (
            <button type="button" class="button plain" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              {run('files.raw')}
            </button>
          )}
        </div>
      </header>
      <div class="card-body">
        {against ? (
          <Compared key={`${version} ${against}`} seen={seen} line={line} version={version} against={against} />
        ) : (
          <Text key={version} seen={seen} line={line} version={version} isRaw={isRaw} />
        )}
      </div>
    </section>
  )
}

/** A text of the server's: an older version never changes, the present one does with the file. */
function useText(seen: Watched, line: DocumentLine, version: string | null) {
  const { place } = seen
  const { name, modified_at } = line
  const isLatest = version === line.version
  const own = useMemo(
    () => resource(() => get<DocumentText>(place.path(documentPath(name), isLatest ? {} : { version: version ?? '' }))),
    [place, name, version, isLatest],
  )
  useEffect(() => {
    if (isLatest && modified_at) own.touch()
  }, [own, isLatest, modified_at])
  return { held: useHeld(own), touch: own.touch }
}

interface Texting {
  seen: Watched
  line: DocumentLine
  version: string | null
}

function Text({ seen, line, version, isRaw }: Texting & { isRaw: boolean }) {
  const { held, touch } = useText(seen, line, version)
  const { name } = line
  return (
    <Awaited held={held} onRetry={touch}>
      {({ text, truncated }) => (
        <>
          {truncated && <p class="notice tone-warn small">{run('files.truncated')}</p>}
          {name.endsWith('.md') && !isRaw ? (
            <Prose text={withoutHeader(text)} />
          ) : (
            <Scroll class="output bare" label={run('files.text', { name })}>
              {readable(name, text)}
            </Scroll>
          )}
        </>
      )}
    </Awaited>
  )
}

function Compared({ seen, line, version, against }: Texting & { against: string }) {
  const now = useText(seen, line, version)
  const old = useText(seen, line, against)
  return (
    <Awaited held={old.held} onRetry={old.touch}>
      {(before) => (
        <Awaited held={now.held} onRetry={now.touch}>
          {(after) => <Differing name={line.name} before={before.text} after={after.text} />}
        </Awaited>
      )}
    </Awaited>
  )
}

function Differing({ name, before, after }: { name: string; before: string; after: string }) {
  const diff = useMemo(
    () => compared(name, readable(name, withoutHeader(before)), readable(name, withoutHeader(after))),
    [name, before, after],
  )
  return diff ? <FileDiffs files={[diff]} isWrapped /> : <p class="empty">{t('documents.same')}</p>
}

/** The line with the version, which stands above already. */
function withoutHeader(text: string): string {
  return text.replace(/^<!--[^\n]*-->\n+/, '')
}
