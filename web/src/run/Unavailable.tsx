// What a page shows where there is no run to show: not yet, not any more, never, or not readable.
import type { ComponentChildren } from 'preact'
import { type Problem, send } from '../api/client'
import type { KindName } from '../api/types'
import type { RunAddress } from '../app/address'
import { listHref } from '../app/router'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { t } from './i18n'
import type { RunKey } from './RunKind'
import type { Resource } from './resource'

interface KindWords {
  name: KindName
  t: (key: RunKey) => string
}

export function LoadingRun() {
  return (
    <div class="sheet" aria-busy="true">
      <p class="sr-only">{t('loading')}</p>
      <div class="ghost wide" />
      <div class="ghost" />
      <div class="ghost tall" />
    </div>
  )
}

export function DeletedRun({ kind, title }: { kind: KindWords; title: string }) {
  return (
    <Alone kind={kind} title={kind.t('gone.title')}>
      <p>{title}</p>
      <p class="muted">{kind.t('gone.words')}</p>
    </Alone>
  )
}

interface UnreadableRunProps {
  kind: KindWords
  address: RunAddress
  problem: Problem
  view: Resource<unknown>
}

/** Nothing could be read of it at all. An id of a wrong form is as unknown as any other. */
export function UnreadableRun({ kind, address, problem, view }: UnreadableRunProps) {
  if (problem.status === 503) return <DamagedRun kind={kind} address={address} problem={problem} view={view} />
  if (problem.status !== 404 && problem.status !== 400) return <ProblemNotice problem={problem} retry={view.touch} />
  return (
    <Alone kind={kind} title={kind.t('missing.title')}>
      <p>
        <code>{address.at.id}</code>
      </p>
      <p class="muted">{kind.t('missing.words')}</p>
      <p class="muted small">{problem.message}</p>
    </Alone>
  )
}

/** Its state cannot be read: what is left can be put together again. */
function DamagedRun({ kind, address, problem, view }: UnreadableRunProps) {
  const { busy, problem: refusal, run } = useCommand()
  const recover = async () => {
    if (await run(() => send('POST', address.path('/recover'), { body: {} }))) view.touch()
  }
  return (
    <Alone kind={kind} title={kind.t('damaged.title')}>
      <p>
        <code>{address.at.id}</code>
      </p>
      <p class="notice tone-bad">{problem.message}</p>
      <p class="muted">{kind.t('damaged.words')}</p>
      <ProblemNotice problem={refusal} />
      <p class="row">
        <button type="button" class="button primary" disabled={busy} onClick={recover}>
          {t(busy ? 'damaged.under_way' : 'damaged.recover')}
        </button>
        <button type="button" class="button" onClick={view.touch}>
          {t('problem.retry')}
        </button>
      </p>
    </Alone>
  )
}

function Alone({ kind, title, children }: { kind: KindWords; title: string; children: ComponentChildren }) {
  return (
    <div class="alone stack">
      <h1>{title}</h1>
      {children}
      <p>
        <a href={listHref(kind.name)}>{kind.t('back')}</a>
      </p>
    </div>
  )
}
