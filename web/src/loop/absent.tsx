// What is shown where there is no loop to show: not yet, not any more, never, or not readable.
import type { ComponentChildren } from 'preact'
import { type Problem, send } from '../api/client'
import { LOOPS_HREF } from '../app/router'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { t } from './i18n'
import type { Recovery } from './shapes'
import { pathOf, type Watched } from './watch'

export function Loading() {
  return (
    <div class="loop" aria-busy="true">
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

export function Missing({ id, words }: { id: string; words: string }) {
  return (
    <Alone title={t('missing.title')}>
      <p>
        <code>{id}</code>
      </p>
      <p class="muted">{t('missing.words')}</p>
      <p class="muted small">{words}</p>
    </Alone>
  )
}

export function Gone({ title }: { title: string }) {
  return (
    <Alone title={t('gone.title')}>
      <p>{title}</p>
      <p class="muted">{t('gone.words')}</p>
    </Alone>
  )
}

/** Its state can not be read: what is left can be put together again. */
export function Damaged({ seen, problem }: { seen: Watched; problem: Problem }) {
  const { busy, problem: refusal, run } = useCommand()
  const recover = async () => {
    if (await run(() => send<Recovery>('POST', pathOf(seen.at, '/recover'), { body: {} }))) seen.loop.touch()
  }
  return (
    <Alone title={t('damaged.title')}>
      <p>
        <code>{seen.at.id}</code>
      </p>
      <p class="notice tone-bad">{problem.message}</p>
      <p class="muted">{t('damaged.words')}</p>
      <ProblemNotice problem={refusal} />
      <p class="row">
        <button type="button" class="button primary" disabled={busy} onClick={recover}>
          {t(busy ? 'damaged.under_way' : 'damaged.recover')}
        </button>
        <button type="button" class="button" onClick={seen.loop.touch}>
          {t('problem.retry')}
        </button>
      </p>
    </Alone>
  )
}

function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="alone stack">
      <h1>{title}</h1>
      {children}
      <p>
        <a href={LOOPS_HREF}>{t('back')}</a>
      </p>
    </div>
  )
}
