// A diff, file by file.
import { useMemo, useState } from 'preact/hooks'
import type { DiffAnswer } from '../api/details'
import { number } from '../ui/format'
import {
  countChanges,
  countLines,
  type DiffLine,
  type FileDiff,
  firstLines,
  type Hunk,
  parseDiff,
  type Span,
  spansOf,
} from './diff'
import { t } from './i18n'
import { Scroll } from './panels'

/** Lines of a file shown at first, and more with each wish. */
const LINES = 400
const FILES = 30
/** A file with more lines is closed at first. */
const LONG = 600

interface DiffViewProps {
  /** Of one text, whose long lines go on below. */
  isWrapped?: boolean
}

export function DiffView({ answer: { diff, truncated }, ...look }: DiffViewProps & { answer: DiffAnswer }) {
  const files = useMemo(() => parseDiff(diff), [diff])
  return <FileDiffs files={files} truncated={truncated} {...look} />
}

interface FileDiffsProps extends DiffViewProps {
  files: readonly FileDiff[]
  truncated?: boolean
}

export function FileDiffs({ files, truncated = false, isWrapped = false }: FileDiffsProps) {
  const [most, setMost] = useState(FILES)
  const { added, removed } = countChanges(files)
  if (!files.length) return <p class="empty">{t('diff.empty')}</p>
  return (
    <div class={isWrapped ? 'diff wrapped' : 'diff'}>
      {!isWrapped && (
        <p class="row small">
          <span>{t('diff.files', { n: files.length })}</span>
          <Counts added={added} removed={removed} />
        </p>
      )}
      {truncated && <p class="notice tone-warn small">{t('diff.truncated')}</p>}
      {files.slice(0, most).map((file) => (
        <OneFile key={file.path} file={file} />
      ))}
      {files.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + FILES)}>
          {t('diff.more_files', { n: files.length - most })}
        </button>
      )}
    </div>
  )
}

function OneFile({ file }: { file: FileDiff }) {
  const [isOpen, setOpen] = useState(countLines(file) <= LONG)
  return (
    <details class="card diff-file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code class="path">
          {file.from && file.from !== file.path && <span class="muted">{file.from} → </span>}
          {file.path}
        </code>
        {file.change !== 'changed' && <span class="badge">{t(`diff.${file.change}`)}</span>}
        <Counts added={file.added} removed={file.removed} />
      </summary>
      {isOpen && <Body file={file} />}
    </details>
  )
}

function Body({ file }: { file: FileDiff }) {
  const [most, setMost] = useState(LINES)
  if (file.binary) return <p class="diff-remark muted">{t('diff.binary')}</p>
  if (!file.hunks.length) return <p class="diff-remark muted">{t(file.mode ? 'diff.mode' : 'diff.no_lines')}</p>
  const left = countLines(file) - most
  return (
    <>
      <Scroll class="diff-scroll" label={t('diff.of', { file: file.path })}>
        <table>
          <thead class="sr-only">
            <tr>
              <th>{t('diff.old')}</th>
              <th>{t('diff.now')}</th>
              <th>{t('diff.line')}</th>
            </tr>
          </thead>
          {firstLines(file.hunks, most).map((hunk) => (
            <HunkRows key={hunk.at} hunk={hunk} />
          ))}
        </table>
      </Scroll>
      {left > 0 && (
        <button type="button" class="button plain" onClick={() => setMost(most + 5 * LINES)}>
          {t('diff.more_lines', { n: left })}
        </button>
      )}
    </>
  )
}

function HunkRows({ hunk }: { hunk: Hunk }) {
  const spans = useMemo(() => spansOf(hunk.lines), [hunk.lines])
  return (
    <tbody>
      <tr class="hunk">
        <td colSpan={3}>
          {hunk.at}
          {hunk.place && ` · ${hunk.place}`}
        </td>
      </tr>
      {hunk.lines.map((line, at) => (
        <tr key={at} class={line.kind}>
          {/* Numbers are drawn from attributes, so that copying lines does not copy them. */}
          <td class="no" data-n={line.old ?? ''} />
          <td class="no" data-n={line.now ?? ''} />
          <td class="code">
            <Marked line={line} span={spans.get(line)} />
          </td>
        </tr>
      ))}
    </tbody>
  )
}

const ELEMENTS = { added: 'ins', removed: 'del' } as const

function Marked({ line, span }: { line: DiffLine; span: Span | undefined }) {
  if (line.kind !== 'added' && line.kind !== 'removed') return <>{line.text || '\u200b'}</>
  const Element = ELEMENTS[line.kind]
  if (!span) return <Element>{line.text || '\u200b'}</Element>
  const [begin, end] = span
  return (
    <Element>
      {line.text.slice(0, begin)}
      <mark>{line.text.slice(begin, end)}</mark>
      {line.text.slice(end)}
    </Element>
  )
}

/** Nothing where no line differs: a binary file, a new name. */
function Counts({ added, removed }: { added: number; removed: number }) {
  if (!added && !removed) return null
  return (
    <span class="diff-counts">
      <span class="plus" title={t('diff.added', { n: added })}>
        +{number(added)}
      </span>
      <span class="minus" title={t('diff.removed', { n: removed })}>
        −{number(removed)}
      </span>
    </span>
  )
}
