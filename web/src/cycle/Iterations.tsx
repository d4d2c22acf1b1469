// The iterations side by side: what each role did in each, what was found, and what it was asked for.
import { useEffect, useRef } from 'preact/hooks'
import { type IterationRecord, ROLES, type Role } from '../api/cycles'
import { Scroll } from '../run/panels'
import { duration } from '../ui/format'
import { Moment } from '../ui/times'
import { resultWords, roleTitle, t } from './i18n'
import type { CycleResources, Section } from './parts'
import { resultTone } from './tones'
import { versionOf } from './versions'

export function Iterations({ resources, view: { run: cycle } }: Section) {
  const all = cycle.iterations
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // The latest is what one came for.
    if (box.current) box.current.scrollLeft = box.current.scrollWidth
  }, [all.length])
  if (all.length === 0) return <p class="empty">{t('iterations.empty')}</p>
  return (
    <Scroll class="card iterations" label={t('tab.iterations')} box={box}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">{t('roles.title')}</span>
            </th>
            {all.map((one) => (
              <Head key={one.number} one={one} />
            ))}
          </tr>
        </thead>
        <tbody>
          {ROLES.map((role) => (
            <tr key={role}>
              <th scope="row">
                <abbr class="mono" title={roleTitle(role)}>
                  {role}
                </abbr>
              </th>
              {all.map((one) => (
                <Result key={one.number} resources={resources} one={one} role={role} />
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{t('iterations.issues')}</th>
            {all.map((one) => (
              <Issues key={one.number} one={one} isOver={one.completed_at !== undefined && one.completed_at !== null} />
            ))}
          </tr>
        </tbody>
      </table>
    </Scroll>
  )
}

function Head({ one }: { one: IterationRecord }) {
  const { number, started_at, completed_at, extension } = one
  return (
    <th scope="col">
      <p class="row spread">
        <strong>{t('iterations.one', { n: number })}</strong>
        <span class="mono small muted">{versionOf(number)}</span>
      </p>
      <p class="small muted">
        <Moment at={started_at} />
        {' · '}
        {completed_at
          ? duration((Date.parse(completed_at) - Date.parse(started_at)) / 1000)
          : t('iterations.under_way')}
      </p>
      {extension && (
        <blockquote class="extension">
          <span class="sr-only">{t('iterations.extension')} </span>
          {extension}
        </blockquote>
      )}
    </th>
  )
}

function Result({ resources, one, role }: { resources: CycleResources; one: IterationRecord; role: Role }) {
  const result = one.agent_results?.[role]
  if (!result) return <td class="muted">–</td>
  return (
    <td>
      <span class={`badge tone-${resultTone(result.status)}`}>{resultWords(result.status)}</span>{' '}
      {result.files_modified > 0 && (
        <a class="small" href={resources.address.href(role === 'cd' ? `changes-${one.number}` : 'documents')}>
          {t('lane.files', { n: result.files_modified })}
        </a>
      )}
    </td>
  )
}

const FEW = 5

function Issues({ one, isOver }: { one: IterationRecord; isOver: boolean }) {
  const { issues_found: issues, resolved } = one
  if (issues.length === 0) {
    return <td class={isOver ? 'good' : 'muted'}>{isOver ? t('iterations.clean') : '–'}</td>
  }
  return (
    <td>
      <p>
        <span class={`badge tone-${resolved ? 'good' : 'bad'}`}>
          {t(resolved ? 'iterations.resolved' : 'iterations.open', { n: issues.length })}
        </span>
      </p>
      <ul class="issues small">
        {issues.slice(0, FEW).map((issue) => (
          <li key={issue}>{issue}</li>
        ))}
      </ul>
      {issues.length > FEW && (
        <details class="small">
          <summary>{t('iterations.more', { n: issues.length - FEW })}</summary>
          <ul class="issues">
            {issues.slice(FEW).map((issue) => (
              <li key={issue}>{issue}</li>
            ))}
          </ul>
        </details>
      )}
    </td>
  )
}
