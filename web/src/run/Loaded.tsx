// A part of the page that is read by itself: loading, failed, or there.
import type { ComponentChildren } from 'preact'
import { ProblemNotice } from '../ui/Notice'
import { t } from './i18n'
import { type Resource, useResource } from './resource'

export function Loaded<T>({ of, children }: { of: Resource<T>; children: (data: T) => ComponentChildren }) {
  const { data, problem } = useResource(of)
  if (data !== null) return <>{children(data)}</>
  if (problem) return <ProblemNotice problem={problem} retry={of.touch} />
  return (
    <div class="ghosts" aria-busy="true">
      <p class="sr-only">{t('loading')}</p>
      <div class="ghost" />
      <div class="ghost wide" />
    </div>
  )
}
