// What narrows a list: words, status, project.
import { useEffect, useRef, useState } from 'preact/hooks'
import { projects } from '../app/projects'
import { useShortcut } from '../app/shortcuts'
import { t } from '../i18n'
import { Picker } from '../ui/Picker'
import type { Row } from './rows'
import type { RunList } from './runList'

/** Milliseconds after the last letter. */
const TYPING = 180

interface FiltersProps<Brief extends Row> {
  list: RunList<Brief>
  statuses: readonly (readonly [string, string])[]
  /** What the search is called, and what it looks into. */
  label: string
  hint: string
}

export function Filters<Brief extends Row>(filtering: FiltersProps<Brief>) {
  const { list, statuses } = filtering
  const { status, project } = list.filter.value
  const names = projects.value.map(({ name }) => [name, name] as const)
  return (
    <search class="filters row">
      <Search {...filtering} />
      <Picker
        label={t('loops.status')}
        value={status}
        options={[['all', t('loops.all')], ...statuses]}
        onPick={(picked) => list.narrow({ status: picked })}
      />
      {names.length > 1 && (
        <Picker
          label={t('loops.project')}
          value={project ?? names[0]?.[0] ?? ''}
          options={names}
          onPick={(picked) => list.narrow({ project: picked })}
        />
      )}
    </search>
  )
}

function Search<Brief extends Row>({ list, label, hint }: FiltersProps<Brief>) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(list.filter.value.search)
  const sent = useRef(text)
  useShortcut('/', () => input.current?.focus())

  useEffect(() => {
    if (text === list.filter.value.search) return
    const timer = window.setTimeout(() => {
      sent.current = text
      list.narrow({ search: text })
    }, TYPING)
    return () => window.clearTimeout(timer)
  }, [text])
  // Somebody else took the words away: "show all". What comes back of our own words is older than what was typed since.
  const outside = list.filter.value.search
  useEffect(() => {
    if (outside !== sent.current) setText(outside)
    sent.current = outside
  }, [outside])

  return (
    <input
      ref={input}
      type="search"
      class="input"
      value={text}
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={hint}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  )
}
