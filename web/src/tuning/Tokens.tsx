// What a model has to read: phase by phase on the worst path, and file by file.
import type { SkillGraph } from '../api/tunings'
import { Loaded } from '../run/Loaded'
import { Card, Scroll } from '../run/panels'
import { number } from '../ui/format'
import { type Bar, barsOf, LIMIT } from './course'
import { t } from './i18n'
import type { Section, SkillFile } from './parts'

/** Files that are shown. */
const MOST = 40

export function Tokens({ resources }: Section) {
  return (
    <div class="stack">
      <Loaded of={resources.parts.graph}>{(drawing) => <Course graph={drawing} />}</Loaded>
      <Loaded of={resources.parts.skill}>{(files) => <Files files={files} />}</Loaded>
    </div>
  )
}

function Course({ graph: { course, worst } }: { graph: SkillGraph }) {
  const { bars, limit } = barsOf(course)
  return (
    <Card id="course" title={t('tokens.course')} head={<strong>{t('tokens.worst', { n: number(worst) })}</strong>}>
      <div class="card-body">
        <p class="muted small">{t('tokens.words')}</p>
        <Scroll class="scroll" label={t('tokens.course')}>
          <table class="course">
            <thead>
              <tr>
                <th scope="col">{t('tokens.step')}</th>
                <th scope="col" class="wide">
                  {t('tokens.new')}
                </th>
                <th scope="col">
                  <span class="sr-only">{t('tokens.count')}</span>
                </th>
                <th scope="col">{t('tokens.total')}</th>
              </tr>
            </thead>
            <tbody>
              {bars.map((bar, at) => (
                <Row key={at} bar={bar} limit={limit} />
              ))}
            </tbody>
          </table>
        </Scroll>
        <ul class="legend small course-legend" aria-hidden="true">
          <li>
            <i class="own" /> {t('tokens.own')}
          </li>
          <li>
            <i class="loads" /> {t('tokens.loads')}
          </li>
          <li>
            <i class="limit" /> {t('tokens.limit', { n: number(LIMIT) })}
          </li>
        </ul>
      </div>
    </Card>
  )
}

function Row({ bar: { stage, own, loads, isOver }, limit }: { bar: Bar; limit: number }) {
  const isPart = stage.own === 0 && stage.share > 0
  return (
    <tr>
      <th scope="row">
        <span>{stage.name}</span>
        {isPart && <span class="muted small">{t('tokens.share', { n: number(stage.share) })}</span>}
        {stage.files.length > 0 && (
          <span class="muted small mono" title={stage.files.join('\n')}>
            + {stage.files.slice(0, 3).join(', ')}
            {stage.files.length > 3 && ' …'}
          </span>
        )}
      </th>
      <td class="wide">
        <div class={isOver ? 'token-bar over' : 'token-bar'} aria-hidden="true">
          <i class="own" style={{ width: `${own}%` }} />
          <i class="loads" style={{ width: `${loads}%` }} />
          <i class="limit" style={{ insetInlineStart: `${limit}%` }} />
        </div>
      </td>
      <td>
        {number(stage.own + stage.loads)}
        {isOver && <span class="sr-only">, {t('tokens.over')}</span>}
      </td>
      <td>{number(stage.total)}</td>
    </tr>
  )
}

function Files({ files }: { files: readonly SkillFile[] }) {
  const sorted = files.toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0))
  const largest = Math.max(1, sorted[0]?.tokens ?? 0)
  return (
    <Card id="files" title={t('tokens.files')} head={<span class="muted small">{number(files.length)}</span>}>
      <div class="card-body">
        <table class="course">
          <thead class="sr-only">
            <tr>
              <th scope="col">{t('tokens.file')}</th>
              <th scope="col" />
              <th scope="col">{t('tokens.count')}</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, MOST).map(({ file, tokens }) => (
              <tr key={file}>
                <th scope="row" class="mono small">
                  {file}
                </th>
                <td class="wide">
                  <div class="token-bar" aria-hidden="true">
                    <i class="own" style={{ width: `${(92 * (tokens ?? 0)) / largest}%` }} />
                  </div>
                </td>
                <td>{tokens === null ? '–' : number(tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {sorted.length > MOST && <p class="muted small">{t('tokens.more', { n: sorted.length - MOST })}</p>}
      </div>
    </Card>
  )
}
