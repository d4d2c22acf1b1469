// What is shown where there is nothing to show: not yet, not any more, never, or not readable.
import type { ComponentChildren } from 'preact'
import { type Problem, send } from '../api/client'
import type { Place } from '../app/place'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { t } from './i18n'
import type { Resource } from './resource'
import type { Recovery } from './shapes'

/** Where the list is, and the words for one out of it. */
export interface Kind {
  list: string
  say: (key: 'back' | `${'missing' | 'gone' | 'damaged'}.${'title' | 'words'}`) => string
}

export function Loading() {
  return (
    <div class="sheet" aria-busy="true">
      <p class="sr-only">{t('loading')}</p>
      <div class="ghost wide" />
      <div class="ghost" />
      <div class="ghost tall" />
    </div>
  )
}

/** Each part of the page that is read by itself: loading, failed, or there. */
export function Awaited<T>({
  held,
  onRetry,
  children,
}: {
  held: { data: T | null; problem: Problem | null }
  onRetry: () => void
  children: (data: T) => ComponentChildren
}) {
  if (held.data !== null) return <>{children(held.data)}</>
  if (held.problem) return <ProblemNotice problem={held.problem} retry={onRetry} />
  return (
    <div class="ghosts" aria-busy="true">
      <p class="sr-only">{t('loading')}</p>
      <div class="ghost" />
      <div class="ghost wide" />
    </div>
  )
}

interface Absent {
  kind: Kind
  place: Place
  problem: Problem
  view: Resource<unknown>
}

/** Nothing could be read of it at all. An id of a wrong form is as unknown as any other. */
export function Nothing({ kind, place, problem, view }: Absent) {
  if (problem.status === 503) return <Damaged kind={kind} place={place} problem={problem} view={view} />
  if (problem.status !== 404 && problem.status !== 400) return <ProblemNotice problem={problem} retry={view.touch} />
  return (
    <Alone kind={kind} title={kind.say('missing.title')}>
      <p>
        <code>{place.at.id}</code>
      </p>
      <p class="muted">{kind.say('missing.words')}</p>
      <p class="muted small">{problem.message}</p>
    </Alone>
  )
}

export function Gone({ kind, title }: { kind: Kind; title: string }) {
  return (
    <Alone kind={kind} title={kind.say('gone.title')}>
      <p>{title}</p>
      <p class="muted">{kind.say('gone.words')}</p>
    </Alone>
  )
}

/** Its state cannot be read: what is left can be put together again. */
function Damaged({ kind, place, problem, view }: Absent) {
  const { busy, problem: refusal, run } = useCommand()
  const recover = async () => {
    if (await run(() => send<Recovery>('POST', place.path('/recover'), { body: {} }))) view.touch()
  }
  return (
    <Alone kind={kind} title={kind.say('damaged.title')}>
      <p>
        <code>{place.at.id}</code>
      </p>
      <p class="notice tone-bad">{problem.message}</p>
      <p class="muted">{kind.say('damaged.words')}</p>
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

function Alone({ kind, title, children }: { kind: Kind; title: string; children: ComponentChildren }) {
  return (
    <div class="alone stack">
      <h1>{title}</h1>
      {children}
      <p>
        <a href={kind.list}>{kind.say('back')}</a>
      </p>
    </div>
  )
}
