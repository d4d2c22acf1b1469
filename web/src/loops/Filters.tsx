// What narrows the list: words, status, project.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Status } from '../api/types'
import { useShortcut } from '../app/shortcuts'
import { t } from '../i18n'
import { Picker } from '../ui/Picker'
import { filter, narrow, projects } from './store'

const STATUSES: readonly Status[] = ['running', 'paused', 'user_exit', 'created', 'completed', 'failed']
/** Milliseconds after the last letter. */
const TYPING = 180

export function Filters() {
  const { status, project } = filter.value
  const names = projects.value.map(({ name }) => [name, name] as const)
  return (
    <search class="filters row">
      <Search />
      <Picker
        label={t('loops.status')}
        value={status}
        options={[['all', t('loops.all')], ...STATUSES.map((name) => [name, t(`status.${name}`)] as const)]}
        onPick={(picked) => narrow({ status: picked })}
      />
      {names.length > 1 && (
        <Picker
          label={t('loops.project')}
          value={project ?? names[0]?.[0] ?? ''}
          options={names}
          onPick={(picked) => narrow({ project: picked })}
        />
      )}
    </search>
  )
}

function Search() {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(filter.value.search)
  useShortcut('/', () => input.current?.focus())

  useEffect(() => {
    if (text === filter.value.search) return
    const timer = window.setTimeout(() => narrow({ search: text }), TYPING)
    return () => window.clearTimeout(timer)
  }, [text])
  // Somebody else took the words away: "show all loops".
  const outside = filter.value.search
  useEffect(() => setText(outside), [outside])

  return (
    <input
      ref={input}
      type="search"
      class="input"
      value={text}
      aria-label={t('loops.search_label')}
      aria-keyshortcuts="/"
      placeholder={t('loops.search')}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  )
}
