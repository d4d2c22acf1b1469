// What the roles wrote, version by version, and what differs between any two of them.
import { useMemo, useState } from 'preact/hooks'
import { type DocumentLine, type DocumentText, documentPath } from '../api/cycles'
import { go } from '../app/router'
import { LoadedText } from '../run/cards'
import { FileDiffs } from '../run/DiffView'
import { diffTexts } from '../run/diff'
import { t as run } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import type { Resource } from '../run/resource'
import { usePart } from '../run/resources'
import { bytes, moment } from '../ui/format'
import { Picker } from '../ui/Picker'
import { partyWords, t } from './i18n'
import type { CycleResources, Section } from './parts'
import { type DocumentChoice, formatChoice, formatJson, parseChoice, previousVersion } from './versions'

/** Opened where nothing else was asked for, the first that is there. */
const FIRST = ['coordination/summary.md', 'ra/requirements.md']

export function Documents({ resources, detail }: Section) {
  return (
    <Loaded of={resources.parts.documents}>
      {(all) => {
        const chosen = parseChoice(detail ?? '')
        const names = [chosen.name, ...FIRST]
        const open = names.map((name) => all.find((one) => one.name === name)).find(Boolean) ?? all[0]
        return open ? (
          <div class="changes">
            <List resources={resources} all={all} open={open.name} />
            <One key={open.name} resources={resources} line={open} chosen={{ ...chosen, name: open.name }} />
          </div>
        ) : (
          <p class="empty">{run('files.empty')}</p>
        )
      }}
    </Loaded>
  )
}

function List({ resources, all, open }: { resources: CycleResources; all: readonly DocumentLine[]; open: string }) {
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
                    href={resources.address.href(`documents-${name}`)}
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

function One({ resources, line, chosen }: { resources: CycleResources; line: DocumentLine; chosen: DocumentChoice }) {
  const [isRaw, setRaw] = useState(false)
  const { name, version: latest, versions } = line
  const version = versions.find((one) => one === chosen.version) ?? latest
  const against = versions.find((one) => one === chosen.against && one !== version) ?? null
  const choose = (change: Partial<DocumentChoice>) =>
    go(resources.address.href(`documents-${formatChoice({ ...chosen, ...change })}`))
  const previous = version && previousVersion(versions, version)
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
          <Compared
            key={`${version} ${against}`}
            resources={resources}
            line={line}
            version={version}
            against={against}
          />
        ) : (
          <Text key={version} resources={resources} line={line} version={version} isRaw={isRaw} />
        )}
      </div>
    </section>
  )
}

/** A text of the server's: an older version never changes, the present one does with the file. */
function useText(resources: CycleResources, line: DocumentLine, version: string | null): Resource<DocumentText> {
  const { address } = resources
  const { name, modified_at } = line
  const isLatest = version === line.version
  const query = isLatest ? {} : { version: version ?? '' }
  return usePart(address, documentPath(name), query, isLatest ? modified_at : null)
}

interface TextProps {
  resources: CycleResources
  line: DocumentLine
  version: string | null
}

function Text({ resources, line, version, isRaw }: TextProps & { isRaw: boolean }) {
  const { name } = line
  return (
    <LoadedText
      of={useText(resources, line, version)}
      name={name}
      isRaw={isRaw}
      prose={withoutHeader}
      plain={(text) => formatJson(name, text)}
    />
  )
}

function Compared({ resources, line, version, against }: TextProps & { against: string }) {
  const now = useText(resources, line, version)
  const old = useText(resources, line, against)
  return (
    <Loaded of={old}>
      {(before) => (
        <Loaded of={now}>{(after) => <Differing name={line.name} before={before.text} after={after.text} />}</Loaded>
      )}
    </Loaded>
  )
}

function Differing({ name, before, after }: { name: string; before: string; after: string }) {
  const diff = useMemo(
    () => diffTexts(name, formatJson(name, withoutHeader(before)), formatJson(name, withoutHeader(after))),
    [name, before, after],
  )
  return diff ? <FileDiffs files={[diff]} isWrapped /> : <p class="empty">{t('documents.same')}</p>
}

/** The line with the version, which stands above already. */
function withoutHeader(text: string): string {
  return text.replace(/^<!--[^\n]*-->\n+/, '')
}
