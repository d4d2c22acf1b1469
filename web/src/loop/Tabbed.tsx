// The sections of the page as tabs: the address keeps which one is open, arrow keys go from one to the next.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { LoopView } from '../api/types'
import { loopHref } from '../app/router'
import { Causes } from './Causes'
import { Changes } from './Changes'
import { Files } from './Files'
import { t } from './i18n'
import { Journal } from './Journal'
import { Overview } from './Overview'
import { Tasks } from './Tasks'
import { Tests } from './Tests'
import { Timeline } from './Timeline'
import { Transcript } from './Transcript'
import type { Watched } from './watch'

export interface Section {
  seen: Watched
  view: LoopView
  /** What stands behind the tab's name in the address, as in `changes-3`. */
  detail: string | undefined
}

const TABS = ['overview', 'timeline', 'tasks', 'changes', 'tests', 'causes', 'transcript', 'journal', 'files'] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, (section: Section) => ComponentChildren>> = {
  overview: (section) => <Overview {...section} />,
  timeline: (section) => <Timeline {...section} />,
  tasks: (section) => <Tasks {...section} />,
  changes: (section) => <Changes {...section} />,
  tests: (section) => <Tests {...section} />,
  causes: (section) => <Causes {...section} />,
  transcript: (section) => <Transcript {...section} />,
  journal: (section) => <Journal {...section} />,
  files: (section) => <Files {...section} />,
}

/** What there is of it, where a number says something before the tab is opened. */
const COUNTS: Readonly<Partial<Record<Tab, (view: LoopView) => string>>> = {
  timeline: ({ loop }) => String(loop.current_iteration || ''),
  tasks: ({ loop }) => taskCount(loop.engine.tasks.length, loop.skill_state?.develop.completed ?? 0),
  tests: ({ loop }) => String(loop.skill_state?.validate.test_results.length || ''),
  causes: ({ loop }) => String(loop.skill_state?.debug.hypotheses_count || ''),
}

export function Tabbed({ seen, view, tab }: { seen: Watched; view: LoopView; tab: string | undefined }) {
  const [name = '', ...detail] = (tab ?? '').split('-')
  const open = TABS.find((known) => known === name) ?? 'overview'
  return (
    <>
      <TabList seen={seen} view={view} open={open} />
      <div class="panel" role="tabpanel" id="loop-panel" aria-labelledby={idOf(open)} key={open}>
        <h2 class="sr-only">{t(`tab.${open}`)}</h2>
        {PANELS[open]({ seen, view, detail: detail.join('-') || undefined })}
      </div>
    </>
  )
}

/** Where each key goes from the tab that has the focus. */
const KEYS: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % TABS.length,
  ArrowLeft: (at) => (at + TABS.length - 1) % TABS.length,
  Home: () => 0,
  End: () => TABS.length - 1,
}

function TabList({ seen, view, open }: { seen: Watched; view: LoopView; open: Tab }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [open])
  const move = (event: KeyboardEvent) => {
    const next = TABS[KEYS[event.key]?.(TABS.indexOf(open)) ?? -1]
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    // The way back leads out of the page, not through every tab that was passed.
    location.replace(loopHref(seen.at, next))
    list.current?.querySelector<HTMLElement>(`#${idOf(next)}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={t('tabs.label')} ref={list} onKeyDown={move}>
      {TABS.map((tab) => (
        <a
          key={tab}
          id={idOf(tab)}
          role="tab"
          class="tab"
          href={loopHref(seen.at, tab)}
          aria-selected={tab === open}
          aria-controls={tab === open ? 'loop-panel' : undefined}
          tabIndex={tab === open ? 0 : -1}
        >
          {t(`tab.${tab}`)} <span class="count">{COUNTS[tab]?.(view)}</span>
        </a>
      ))}
    </div>
  )
}

function idOf(tab: Tab): string {
  return `loop-tab-${tab}`
}

function taskCount(all: number, completed: number): string {
  return all ? `${completed}/${all}` : ''
}
